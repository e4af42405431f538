//go:build !failpoints

package failpoint

// Enabled reports whether this build can be struck.
const Enabled = false

// At is a point where a fault may strike or return an error.
func At(Point, ...any) error { return nil }

// Pass is a point where a fault may strike but cannot return an error.
func Pass(Point, ...any) {}
