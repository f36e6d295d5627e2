package scenario

import (
	"strings"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

// stored are the items that OpenAI Responses keeps for a client, by their ids:
// those of replies to requests that don't say store:false.
type stored map[string]wire.Value

// keeps reports whether a request's history may name kept items.
func keeps(req native.Request) bool {
	return req.API == native.Responses && req.Root.Get("store").Raw() != "false"
}

// add keeps the items of the reply to a request.
func (s stored) add(req native.Request, reply native.Reply) {
	if !keeps(req) {
		return
	}
	for _, p := range reply.Parts {
		if id := p.Value.Get("id").Text(); id != "" {
			s[id] = p.Value
		}
	}
}

// resolve gives a request whose item_reference entries stand for kept items the
// entries that the provider reads: each such item in its reference's place. The
// root stays as it was sent.
func (s stored) resolve(req native.Request) native.Request {
	const reference = "item_reference"
	if len(s) == 0 || !keeps(req) || !strings.Contains(req.Root.Source(), reference) {
		return req
	}
	var items []string
	known := false
	for item := range req.Root.Get("input").Items() {
		text := item.Raw()
		if kept, ok := s[item.Get("id").Text()]; ok && item.Get("type").Text() == reference && item.Len() == 2 {
			text, known = kept.Raw(), true
		}
		items = append(items, text)
	}
	if !known {
		return req
	}
	whole, err := native.ParseRequest(req.API, `{"input":[`+strings.Join(items, ",")+`]}`)
	if err != nil {
		return req
	}
	req.Entries = whole.Entries
	return req
}
