package script

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/replaycheck/internal/wire"
)

// json writes a YAML value as JSON: members in their order, numbers as they are
// written where JSON can write them so. "" where it can't.
func (r *reader) json(v value, of string) string {
	var b strings.Builder
	before := len(r.errs)
	r.writeJSON(&b, v, of)
	if len(r.errs) > before {
		return ""
	}
	return b.String()
}

func (r *reader) writeJSON(b *strings.Builder, v value, of string) {
	v, ok := r.follow(v)
	if !ok {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		r.bad(v.at(), "%s: nested more than %d deep", of, maxDepth)
		return
	}
	switch v.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i, f := range r.fields(v, of) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(wire.Quote(f.name))
			b.WriteByte(':')
			r.writeJSON(b, f.value, of)
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range r.items(v, of) {
			if i > 0 {
				b.WriteByte(',')
			}
			r.writeJSON(b, item, of)
		}
		b.WriteByte(']')
	default:
		r.writeScalar(b, v, of)
	}
}

func (r *reader) writeScalar(b *strings.Builder, v value, of string) {
	switch v.Tag {
	case "!!null":
		b.WriteString("null")
	case "!!bool":
		b.WriteString(strconv.FormatBool(r.flag(v, of)))
	case "!!int", "!!float":
		if json.Valid([]byte(v.Value)) {
			b.WriteString(v.Value)
			return
		}
		var n float64
		if err := v.Decode(&n); err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			r.bad(v.at(), "%s: JSON has no number %s", of, shortened(v.Value))
			return
		}
		b.WriteString(strconv.FormatFloat(n, 'f', -1, 64))
	default: // text, and what YAML takes for a date or such
		b.WriteString(wire.Quote(v.Value))
	}
}
