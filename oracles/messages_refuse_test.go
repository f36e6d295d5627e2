package oracles_test

func refuseMessages() []message {
	return []message{
		{"REFUSE-01", "foreign/refuse-missing-gemini plain/memory bare", "refuse-skipped-missing", `
verbatim documented, accepted: run 1 (bare)
want an error of kind "refused"
got  no error, 1 request sent`},
		{"REFUSE-02", "foreign/refuse-not-a-list-gemini plain/memory string", "refuse-skipped-not-a-list", `
verbatim documented, accepted: run 1 (string)
want an error of kind "refused"
got  no error, 1 request sent`},
		{"REFUSE-03", "foreign/refuse-member-openai plain/memory null-only", "refuse-skipped-member", `
verbatim documented, accepted: run 1 (null-only)
want an error of kind "refused"
got  no error, 1 request sent`},
		{"REFUSE-04", "foreign/refuse-duplicate-gemini plain/memory identical", "refuse-skipped-duplicate", `
verbatim documented, accepted: run 1 (identical)
want an error of kind "refused"
got  no error, 1 request sent`},
		{"REFUSE-05", "foreign/refuse-mixed-openai plain/memory openai-item-then-capsule", "refuse-skipped-mixed", `
verbatim documented, accepted: run 1 (openai-item-then-capsule)
want an error of kind "refused"
got  no error, 1 request sent`},
		{"REFUSE-06", "foreign/refuse-not-objects-gemini plain/memory null", "refuse-skipped-not-objects", `
verbatim documented, accepted: run 1 (null)
want an error of kind "refused"
got  no error, 1 request sent`},
		{"REFUSE-07", "foreign/refuse-bindings-gemini plain/memory string", "refuse-skipped-bindings, another kind of error", `
verbatim documented, accepted: run 1 (string)
want an error of kind "refused"
got  an error of kind "subject", 0 requests sent`},
		{"REFUSE-07", "foreign/refuse-bindings-gemini plain/memory string", "control refused", `
verbatim documented, refused: control run
want a request, since its carrier is well formed
got  an error of kind "refused"`},
		{"REFUSE-08", "foreign/refuse-missing-gemini plain/memory other-name", "refuse-quotes-content", `
verbatim documented, changed: run 1 (other-name), error message
want "gemini replay state is malformed or ambiguous"
got  another message (55 bytes)

verbatim documented, leaked: run 1 (other-name), error message
want nothing of the carrier
got  a string of the carrier`},
		{"REFUSE-08", "foreign/refuse-missing-gemini plain/memory other-name", "refuse-quotes-content, in the log", `
verbatim documented, leaked: run 1 (other-name), standard error
want nothing of the carrier
got  a string of the carrier`},
		{"REFUSE-08", "foreign/refuse-missing-gemini plain/memory bare", "refuse-skipped-missing", `
verbatim documented, absent: run 1 (bare), error message
want "gemini replay state is malformed or ambiguous"
got  no error`},
		{"REFUSE-09", "foreign/refuse-missing-gemini plain/memory bare", "refuse-after-contact", `
verbatim documented, accepted: run 1 (bare)
want no request
got  1 request

verbatim documented, accepted: run 1 (bare)
want no connection
got  1 connection`},
		{"REFUSE-09", "foreign/refuse-missing-gemini plain/memory bare", "refuse-after-contact, a connection only", `
verbatim documented, accepted: run 1 (bare)
want no connection
got  1 connection`},
	}
}
