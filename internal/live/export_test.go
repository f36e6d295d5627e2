package live

// Settle judges all that came, now.
func Settle(s *Server) {
	for _, c := range s.journal.all() {
		s.judgeOne(c)
	}
}

// EndIdle ends idle conversations, as the sweep does.
func EndIdle(s *Server) { s.endIdle() }
