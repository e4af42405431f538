package telling

// The rules, for tests.
var (
	Sorted = sorted
	Due    = Timing.due
	After  = Timing.after
)
