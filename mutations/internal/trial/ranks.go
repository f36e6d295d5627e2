package trial

// Ranks orders runs so that few of them enter every block that any enters, then
// few others once more, and so on; of two that enter as many new ones the quicker
// is first. The result is the rank of each run.
func Ranks(bases []Base) []int {
	ranks := make([]int, len(bases))
	left := make([]int, len(bases))
	for i := range left {
		left[i] = i
	}
	entered := map[int]bool{}
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
			if n := fresh(i); n > most || n == most && bases[i].Took < bases[left[best]].Took {
				best, most = k, n
			}
		}
		if most == 0 && len(entered) > 0 {
			clear(entered)
			continue
		}
		i := left[best]
		ranks[i] = len(bases) - len(left)
		for _, slot := range bases[i].Slots {
			entered[slot] = true
		}
		left = append(left[:best], left[best+1:]...)
	}
	return ranks
}
