// Package process measures what a quest takes beside one agent alone, in simulated time:
// the real rules (Apply, Assign), a virtual clock, and a table of what agents take
// (values.json). docs/process.md has its tables; `make process` writes them.
package process
