//go:build !failpoints

package failpoint

// Enabled: this build can be struck.
const Enabled = false

// At is where a fault may strike, and return an error.
func At(Point, ...any) error { return nil }

// Pass is where a fault may strike that returns none.
func Pass(Point, ...any) {}
