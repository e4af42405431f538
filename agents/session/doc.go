// Package session runs one agent that prints stream-json, from its start to its end. It
// starts the process, stores its output, tells the observer about it, and decides what
// the end meant. The Claude Code adapter and the simulated agent only choose the program
// to start, and package transcript reads the format.
//
//	program ─stdout─▶ log on disk ─▶ transcript.Stream ─▶ Observer
//	                                     │
//	                                     └▶ end it now: no way to signal, not
//	                                        logged in, hung after its result,
//	                                        context full for the second time
package session
