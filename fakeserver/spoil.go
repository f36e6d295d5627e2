package fakeserver

// spoiled puts the fault of the next reply into the form that it has. It
// reports whether the reply is spent: the form is not, where the fault stands
// in its place.
func (p *Play) spoiled(f *form, c call, ex *Exchange) (*form, bool) {
	fault := f.fault
	if fault == nil {
		fault = p.chaos.fault(p.next + 1)
	}
	if fault == nil || fault.String() == "" {
		f.fault = nil
		return f, true
	}
	if fault.Times > 0 && p.tries >= fault.Times {
		f.fault, p.tries = nil, 0
		return f, true
	}
	ex.Fault = fault.String()
	if fault.Times > 0 {
		p.tries++
	}
	return fault.spoil(f, c), fault.Times == 0
}
