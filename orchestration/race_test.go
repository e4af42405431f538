//go:build race

package orchestration_test

// With the race detector a walk takes 15 times as long: 1,000 walks take three minutes of
// processor time. It has little to find in a package that starts no goroutine, so it
// watches only some walks. TestPlantedFaultsAreFound plays 1,000 without it.
const normalQuests = 60
