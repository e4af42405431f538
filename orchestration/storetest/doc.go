// Package storetest holds what tests of and around a store need: Exercise, the
// conformance suite that says what engine.Store means; Memory, the simplest
// store that passes it; Faulty, a store that fails on demand; Dying, one whose disk
// does. Only tests import it.
package storetest
