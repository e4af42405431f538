package main

import (
	"context"
	"fmt"
	"path/filepath"

	"questboard/orchestration/store"
)

// restore puts a backup in the place of the database. No server may work with
// it meanwhile.
func restore(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("restore", args, w.getenv)
	if err != nil {
		return err
	}
	file := ""
	if len(rest) > 0 {
		if file, err = oneArgument(rest, "FILE"); err != nil {
			return err
		}
	}
	done, err := store.Restore(ctx, cfg.Data, file)
	if err != nil {
		return err
	}
	for _, unfit := range done.Unfit {
		fmt.Fprintf(w.stdout, "not used: %s\n", oneLine(unfit))
	}
	fmt.Fprintf(w.stdout, "%s is now a checked copy of %s\n", filepath.Join(cfg.Data, store.FileName), done.From)
	if done.Aside != "" {
		fmt.Fprintf(w.stdout, "what was there before is in %s: delete it once all is well\n", done.Aside)
	}
	return nil
}
