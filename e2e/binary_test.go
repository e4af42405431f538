package e2e_test

import (
	"testing"

	"questboard/e2e/e2etest"
)

// serverBinary returns the path of the built server.
func serverBinary(t testing.TB) string {
	t.Helper()
	path, err := e2etest.Server()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
