package storetest_test

import (
	"testing"

	"questboard/orchestration/engine"
	"questboard/orchestration/storetest"
)

func TestMemoryIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Exercise(t, func(*testing.T) engine.Store { return new(storetest.Memory) })
}

func TestFaultyWithoutFaultsIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Exercise(t, func(*testing.T) engine.Store { return storetest.NewFaulty(new(storetest.Memory)) })
}
