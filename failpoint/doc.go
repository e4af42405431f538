// Package failpoint names the moments at which a fault would do most harm, and lets
// tests cause one there: a crash, an error, a delay. It owns only the names and the
// faults; the tests decide what to strike.
//
// Every package outside of the core may call it, so it imports none of ours. The core
// has no failpoints, because it does nothing that could be cut short.
//
// Only a build with the tag "failpoints" can be struck (strike.go). In every other
// build the functions are empty, the compiler removes even the names, and nothing can
// switch them on. The known libraries (etcd's gofail, pingcap's failpoint) rewrite the
// sources before a build, and neither kills with SIGKILL; a tag needs no tool.
package failpoint
