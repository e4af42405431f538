//go:build !race

package orchestration_test

const normalQuests = 1000
