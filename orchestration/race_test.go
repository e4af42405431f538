//go:build race

package orchestration_test

// The race detector makes a walk 15 times as dear, three minutes of a processor for
// 1,000, and has little to find in a package that starts no goroutine. So it watches
// some, and TestPlantedFaultsAreFound walks the 1,000 without it.
const normalQuests = 60
