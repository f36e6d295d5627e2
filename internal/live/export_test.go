package live

// Settle judges all that came, now.
func Settle(s *Server) {
	for _, c := range s.journal.all() {
		s.judgeOne(c)
	}
}

// EndIdle ends idle conversations, as the sweep does.
func EndIdle(s *Server) { s.endIdle() }

// Held is how many bytes of bodies that came last are held so that they need not
// be read again, and how many may be.
func Held(s *Server) (now, most int64) { return s.recent.held.Load(), s.recent.most }

// Recorded are the bodies of all requests in the journal.
func Recorded(s *Server) []string {
	var out []string
	for _, c := range s.journal.all() {
		for _, x := range c.play.Peek().Exchanges {
			out = append(out, x.Body)
		}
	}
	return out
}

// Budget is what bounds the bodies that are being read, of a size in bytes.
func Budget(most int64) (take func(int64) bool, give func(int64)) {
	b := &budget{most: most}
	return b.take, b.give
}
