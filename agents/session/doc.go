// Package session runs one agent that speaks stream-json, from its start to
// its end: the process, its output on disk, what is told of it on the way, and
// what its end meant. The Claude Code adapter and the simulated agent differ
// only in the program that they start.
//
//	program ─stdout─▶ log on disk ─▶ transcript.Stream ─▶ Observer
//	                                     │
//	                                     └▶ end it now: no way to signal, not
//	                                        logged in, hung after its result
package session
