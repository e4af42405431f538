// Program open opens a store and prints the error, for the test of a build
// without a C compiler.
package main

import (
	"context"
	"fmt"
	"os"

	"questboard/orchestration/store"
)

func main() {
	if _, err := store.Open(context.Background(), os.Args[1], store.Options{}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
