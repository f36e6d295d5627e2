package trial

// Ranks orders runs so that few of them enter every block that any enters, then
// few others once more, and so on; a run of many requests must enter more than one
// of few. It does not look at what a run takes: which run shows a fault is the same
// every time. The result is the rank of each run.
func Ranks(bases []Base) []int {
	ranks := make([]int, len(bases))
	left := make([]int, len(bases))
	for i := range left {
		left[i] = i
	}
	slots := 0
	for _, b := range bases {
		for _, slot := range b.Slots {
			slots = max(slots, slot+1)
		}
	}
	entered := make([]bool, slots) // by slot; some: one of them
	some := false
	fresh := func(i int) int {
		n := 0
		for _, slot := range bases[i].Slots {
			if !entered[slot] {
				n++
			}
		}
		return n
	}
	for len(left) > 0 {
		best, most := 0, -1
		for k, i := range left {
			if n := 1000 * fresh(i) / max(2, bases[i].Sent); n > most {
				best, most = k, n
			}
		}
		if most == 0 && some { // all is entered
			clear(entered)
			some = false
			continue
		}
		i := left[best]
		ranks[i] = len(bases) - len(left)
		for _, slot := range bases[i].Slots {
			entered[slot], some = true, true
		}
		left = append(left[:best], left[best+1:]...)
	}
	return ranks
}
