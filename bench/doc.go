// Package bench measures the engine, the store and the processes together, next to the
// least that the same work costs on the same machine in the same run. It has only tests
// and benchmarks; README.md has the figures.
//
// Compare the ratios: absolute times belong to one machine on one day.
package bench
