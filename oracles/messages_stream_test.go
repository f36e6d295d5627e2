package oracles_test

func streamMessages() []message {
	return []message{
		{"STREAM-01", "openai/stream-incomplete stream/memory", "reasoning-dropped", `
provider documented, absent: request 2, input[1]
want reasoning {"id":"rs_6b…0n11bVAQE="} (615 bytes, sha256 dd39…)
got  absent

provider documented, absent: request 2, input[1]
want "gAAAAABrT29…b0n11bVAQE=" (448 bytes, sha256 6eb5…)
got  absent`},
		{"STREAM-02", "openai/stream-broken stream/memory", "stream-broken-accepted", `
provider documented, accepted: run 1
want an error: the stream broke off before it was complete
got  no error, 1 answer`},
		{"STREAM-02", "openai/stream-incomplete stream/memory", "state: an item less", `
verbatim documented, changed: state after the last run, assistant message 1.provider_items
want the 2 output items of reply 1
got  1 items`},
	}
}
