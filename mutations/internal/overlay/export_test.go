package overlay

// Direct reports whether Build did without the go command.
func (plan *Plan) Direct() bool { return plan.objects != nil }
