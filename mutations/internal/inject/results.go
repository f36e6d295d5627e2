package inject

import (
	"slices"
	"strings"

	"example.com/replaycheck/internal/wire"
)

// answers edits the parts of every entry that holds results.
func answers(e func([]string) []string) edit { return inEntries(isResults, e) }

// crossed exchanges a member of the first two results of an entry.
func crossed(member string, only func([]string) bool) func([]string) []string {
	return func(parts []string) []string {
		if len(parts) < 2 || !only(parts) {
			return parts
		}
		a, b := parts[0], parts[1]
		x, y := raw(a, resultAt(a, member)), raw(b, resultAt(b, member))
		if x == "" || y == "" {
			return parts
		}
		out := slices.Clone(parts)
		out[0], out[1] = setRaw(a, resultAt(a, member), y), setRaw(b, resultAt(b, member), x)
		return out
	}
}

func withIDs(parts []string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !has(p, resultAt(p, "id")) })
}

func withoutIDs(parts []string) bool { return !withIDs(parts) }

func results() map[string]edit {
	return map[string]edit{
		"results-swapped.with-ids":    answers(crossed("response", withIDs)),
		"results-swapped.without-ids": answers(crossed("response", withoutIDs)),
		"result-missing":              answers(func(parts []string) []string { return parts[:len(parts)-1] }),
		"result-extra.twice":          answers(func(parts []string) []string { return append(slices.Clone(parts), parts[0]) }),
		"result-extra.invented": answers(func(parts []string) []string {
			p := parts[len(parts)-1]
			return append(slices.Clone(parts), setRaw(remove(p, resultAt(p, "id")), resultAt(p, "response"), `{"result":"interrupted"}`))
		}),
	}
}

func callIDs() map[string]edit {
	onResults := func(e func(string) string) edit {
		return answers(func(parts []string) []string {
			out := slices.Clone(parts)
			for i, p := range out {
				out[i] = e(p)
			}
			return out
		})
	}
	return map[string]edit{
		"id-not-echoed": onResults(func(p string) string { return remove(p, resultAt(p, "id")) }),
		"id-invented":   onResults(func(p string) string { return setText(p, resultAt(p, "id"), "call_5RZ7QW2LK4MHTD6E") }),
		"ids-swapped":   answers(crossed("id", withIDs)),
	}
}

func roots() map[string]edit {
	onArgs := func(e func(args string) string) edit {
		return eachPart(isCall, func(p string) string {
			old := raw(p, callAt(p, "args"))
			if old == "" {
				old = "{}" // some clients leave empty arguments out
			}
			if args := e(old); args != old {
				return setRaw(p, callAt(p, "args"), args)
			}
			return p
		})
	}
	onResponse := func(e func(response string) string) edit {
		return answers(func(parts []string) []string {
			out := slices.Clone(parts)
			for i, p := range out {
				old := raw(p, resultAt(p, "response"))
				if response := e(old); response != old {
					out[i] = setRaw(p, resultAt(p, "response"), response)
				}
			}
			return out
		})
	}
	return map[string]edit{
		"args-to-list.empty": onArgs(func(args string) string {
			if compact(args) == "{}" {
				return "[]"
			}
			return args
		}),
		"args-to-list.numeric": onArgs(asList),
		"response-to-list":     onResponse(func(s string) string { return "[" + s + "]" }),
		"response-scalar":      onResponse(wire.Quote),
		"nested-cast":          onArgs(cast),
	}
}

// asList writes an object whose names are 0, 1, 2 … as a list.
func asList(args string) string {
	v, err := wire.Parse(args)
	if err != nil || v.Kind() != wire.Object || v.Len() == 0 {
		return args
	}
	var items []string
	for name, m := range v.Members() {
		if name != string(rune('0'+len(items))) {
			return args
		}
		items = append(items, m.Raw())
	}
	return "[" + strings.Join(items, ",") + "]"
}

// cast writes the first empty list below the root as an object.
func cast(args string) string {
	v, err := wire.Parse(args)
	if err != nil {
		return args
	}
	for val := range v.All() {
		if val.Offset() != v.Offset() && val.Kind() == wire.Array && val.Len() == 0 {
			at := val.Offset()
			return args[:at] + "{}" + args[at+len(val.Raw()):]
		}
	}
	return args
}
