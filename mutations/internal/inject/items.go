package inject

import (
	"slices"

	"example.com/replaycheck/internal/native"
)

func isReasoning(item string) bool { return get(item, "type") == "reasoning" }
func isItemCall(item string) bool  { return get(item, "type") == "function_call" && has(item, "id") }

// isOwn reports whether an item is the model's, as the provider wrote it.
func isOwn(item string) bool { return has(item, "id") }

// afterReasoning puts what e makes of the first reasoning item and the model's
// own item after it in their place.
func afterReasoning(e func(reasoning, next string) []string) edit {
	return input(func(items []string) []string {
		for i := range items[:max(0, len(items)-1)] {
			if isReasoning(items[i]) && isOwn(items[i+1]) {
				return slices.Replace(slices.Clone(items), i, i+2, e(items[i], items[i+1])...)
			}
		}
		return items
	})
}

func items() map[string]edit {
	body := func(e func(string) string) edit { return to(native.Responses, e) }
	one := func(is func(string) bool, e func(string) string) edit {
		return input(onItem(is, func(item string) []string { return []string{e(item)} }))
	}
	twice := func(item string) []string { return []string{item, item} }
	return map[string]edit{
		"reasoning-orphaned.next": afterReasoning(func(r, _ string) []string { return []string{r} }),
		"reasoning-orphaned.between": afterReasoning(func(r, next string) []string {
			return []string{r, `{"type":"message","role":"assistant","content":"Hm."}`, next}
		}),
		"reasoning-dropped.one":               afterReasoning(func(_, next string) []string { return []string{next} }),
		"reasoning-dropped.all":               input(func(all []string) []string { return filter(all, not(isReasoning)) }),
		"reasoning-reordered.pair":            afterReasoning(func(r, next string) []string { return []string{next, r} }),
		"reasoning-reordered.another":         input(func(all []string) []string { return exchange(all, isReasoning) }),
		"item-id-dropped":                     one(isItemCall, func(item string) string { return remove(item, "id") }),
		"item-duplicated.call":                input(onItem(isItemCall, twice)),
		"item-duplicated.reasoning":           input(onItem(isReasoning, twice)),
		"encrypted-content-dropped.not-asked": body(func(b string) string { return remove(b, "include") }),
		"encrypted-content-dropped.removed":   one(isReasoning, func(item string) string { return remove(item, "encrypted_content") }),
		"encrypted-content-dropped.cut": one(isReasoning, func(item string) string {
			s := get(item, "encrypted_content")
			return setText(item, "encrypted_content", s[:len(s)/2])
		}),
		"store-true.store":    body(func(b string) string { return setRaw(b, "store", "true") }),
		"store-true.previous": body(func(b string) string { return setText(b, "previous_response_id", "resp_1") }),
	}
}
