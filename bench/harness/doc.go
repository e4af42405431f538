// Package harness measures what becomes of two overlapping features on real git, in several
// ways to carry them out: one agent alone, several beside each other, Questboard. The agents
// are scripted. It has tests only: `make harness` writes the tables of docs/process.md.
package harness
