// Package storetest has what tests with a store need. Exercise is the conformance suite
// for engine.Store. Memory is the simplest store that passes it, Faulty fails on
// demand, and Dying is a store on a failing disk. Only tests import it.
package storetest
