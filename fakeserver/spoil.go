package fakeserver

// faultless is the form without its fault.
func (f *form) faultless() *form {
	if f.fault == nil {
		return f
	}
	out := *f
	out.fault = nil
	return &out
}

// spoiled puts the fault of the next reply into the form that it has. It
// reports whether the reply is spent: the form is not, where the fault stands
// in its place.
func (p *Play) spoiled(f *form, c call, ex *Exchange) (*form, bool) {
	scripted := f.fault
	if scripted == nil {
		scripted = p.chaos.fault(p.next + 1)
	}
	f = f.faultless()
	if scripted == nil || scripted.Times > 0 && p.tries >= scripted.Times {
		p.tries = 0
		return f, true
	}
	fault := scripted.fits(f)
	if fault.String() == "" {
		return f, true
	}
	ex.Fault = fault.String()
	out, harmed := fault.spoil(f, c)
	if fault.Times > 0 && harmed {
		p.tries++
		return out, false
	}
	return out, true
}
