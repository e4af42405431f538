package main

import (
	"context"
	"fmt"
	"path/filepath"

	"questboard/orchestration/store"
)

// backup copies the database as it is at one moment. A server may go on with
// its work meanwhile.
func backup(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("backup", args, w.getenv)
	if err != nil {
		return err
	}
	file, err := oneArgument(rest, "FILE")
	if err != nil {
		return err
	}
	file, err = filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("find %s: %w", file, err)
	}
	if err := store.Copy(ctx, cfg.Data, file); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.stdout, "%s is a checked copy of %s\n", file, filepath.Join(cfg.Data, store.FileName))
	return err
}
