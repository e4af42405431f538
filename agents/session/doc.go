// Package session runs one agent, from its start to its end. It starts the process, stores
// its output, tells the observer about it, and decides what the end meant. The adapters only
// choose the program to start, and package transcript reads what it prints: stream-json, or
// the messages of the Agent Client Protocol, which also need answers (Talk).
//
//	program ─stdout─▶ transcript ─▶ log on disk ─▶ Observer
//	                       │
//	                       └▶ end it now: no way to signal, not logged in, hung after
//	                          its result, context full for the second time
package session
