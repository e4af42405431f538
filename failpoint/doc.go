// Package failpoint names the moments at which a fault would hurt most, and
// lets tests strike there: a crash, an error, a delay.
//
// It is a folder of its own because everything in the shell may pass a point,
// and it may import nothing of ours. The pure core has none: it does nothing
// that could be cut short.
//
// Only a build with the tag "failpoints" can be struck (strike.go). In every
// other one the functions are empty, the compiler leaves nothing of them, not
// even the names, and there is no way to switch them on. The known libraries
// (etcd's gofail, pingcap's failpoint) rewrite the sources before a build, and
// neither kills with SIGKILL; a tag needs no tool.
package failpoint
