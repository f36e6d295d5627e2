package oracles_test

func thinkMessages() []message {
	return []message{
		{"THINK-01", "gemini/think-parts plain/memory", "thought-visible, and no thinking", `
provider documented, changed: run 1, answer 1, content
want "The Elbe, with 1094 km, is longer."
got  "Compare bot… is longer." (76 bytes, sha256 0032…)

provider documented, absent: run 1, answer 1, thinking
want "Compare both lengths. The Oder has 866 km."
got  null

provider documented, changed: run 1, answer 2, content
want "The Elbe does."
got  "At the mouth, that is.The Elbe does."

provider documented, absent: run 1, answer 2, thinking
want "At the mouth, that is."
got  null`},
		{"THINK-01", "gemini/think-odd-parts plain/memory", "loose-thought", `
provider documented, changed: run 1, answer 1, content
want "one two three four five six seven"
got  "one four five"

provider documented, changed: run 1, answer 1, thinking
want "Plan A. Plan B."
got  "Plan A. two three six seven Plan B."

provider documented, changed: run 1, answer 3, content
want "eight"
got  ""

provider documented, added: run 1, answer 3, thinking
want null
got  "eight"`},
		{"THINK-02", "gemini/think-parts plain/memory", "later-text-lost, the first part only", `
provider documented, changed: run 1, answer 1, content
want "The Elbe, with 1094 km, is longer."
got  "The Elbe,"

provider documented, changed: run 1, answer 2, content
want "The Elbe does."
got  "The Elbe"`},
		{"THINK-02", "gemini/think-parts plain/memory", "answers gone", `
provider documented, shrunk: answer 1
want "The Elbe, with 1094 km, is longer."
got  it never came: the subject ended with 0 answers

provider documented, shrunk: answer 2
want "The Elbe does."
got  it never came: the subject ended with 0 answers

provider documented, shrunk: answer 3
want "The Rhine."
got  it never came: the subject ended with 0 answers`},
		{"THINK-03", "gemini/think-mixed plain/memory", "think-tag-split-missed", `
verbatim documented, changed: run 1, answer 5, content
want "No , it is not."
got  "No <think>Grothendieck</think>, it is not."`},
		{"THINK-04", "gemini/think-mixed plain/memory", "think-trimmed", `
provider documented, changed: run 1, answer 1, thinking
want " <think>7 times 13</think>\n\t\ncheck"
got  "<think>7 times 13</think>\ncheck"

provider documented, changed: run 1, answer 2, thinking
want "  \n "
got  ""

provider documented, changed: run 1, answer 4, thinking
want "Even, but prime.\n"
got  "Even, but prime."`},
		{"THINK-05", "gemini/think-table plain/memory", "think-joined-wrong", `
provider documented, changed: run 1, answer 16, thinking
want "N\n\ni"
got  "N\ni"`},
		{"THINK-05", "gemini/think-empty plain/memory", "think-joined-wrong, empty instead of null", `
verbatim documented, added: run 1, answer 2, thinking
want null
got  ""

verbatim documented, added: run 1, answer 3, thinking
want null
got  ""

verbatim documented, added: run 1, answer 4, thinking
want null
got  ""`},
		{"THINK-06", "gemini/think-kinds plain/stored", "tool-chat-own-parser", `
provider documented, changed: run 3, answer 1, content
want "It is noon."
got  "Noon there.…think>noon." (55 bytes, sha256 c37c…)

provider documented, absent: run 3, answer 1, thinking
want "Noon there. Sure.\nnot midnight"
got  null

provider documented, changed: run 4, answer 1, content
want "No, it is not."
got  "Same zone.No, it is not."

provider documented, absent: run 4, answer 1, thinking
want "Same zone."
got  null`},
		{"THINK-07", "gemini/think-around plain/memory", "thinking-resets-finish, always stop", `
verbatim documented, changed: run 1, answer 2, meta.finish_reason
want "length"
got  "stop"

verbatim documented, changed: run 1, answer 5, meta.finish_reason
want "content_filter"
got  "stop"`},
		{"THINK-07", "gemini/unsigned-text plain/memory", "thinking-resets-finish", `
verbatim documented, empty: run 1, answer 1, meta.finish_reason
want a finish reason
got  ""`},
		{"THINK-08", "gemini/think-malformed plain/memory", "unclosed-swallowed", `
provider documented, changed: run 1, answer 4, content
want "<think>never closed\n  b"
got  ""

provider documented, changed: run 1, answer 5, content
want "<think>b"
got  ""

provider documented, changed: run 1, answer 12, content
want "<think>a</thinK>b"
got  ""`},
	}
}
