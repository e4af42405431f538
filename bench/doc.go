// Package bench measures the engine, the store and the processes together,
// each beside the least that the same work costs on the same machine in the
// same run. It holds tests and benchmarks only; README.md has the figures.
//
// What counts is the ratio: absolute times are those of one machine on one day.
package bench
