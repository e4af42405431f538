package main

import (
	"context"
	"fmt"
	"path/filepath"

	"questboard/orchestration/service"
	"questboard/orchestration/store"
)

// backup copies the current database. It may run next to a server.
func backup(ctx context.Context, c call) error {
	file, err := filepath.Abs(c.args[0])
	if err != nil {
		return fmt.Errorf("find %s: %w", c.args[0], err)
	}
	if c.DB != "" {
		return store.ErrOwnBackups
	}
	if err := store.Copy(ctx, c.Data, file); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.stdout, "%s is a checked copy of %s\n", file, filepath.Join(c.Data, store.FileName))
	return err
}

// restore replaces the database with a backup. It must not run next to a server.
func restore(ctx context.Context, c call) error {
	if c.DB != "" {
		return store.ErrOwnBackups
	}
	done, err := store.Restore(ctx, c.Data, c.arg(0))
	if err != nil {
		return err
	}
	for _, unfit := range done.Unfit {
		fmt.Fprintf(c.stdout, "not used: %s\n", service.OneLine(unfit))
	}
	fmt.Fprintf(c.stdout, "%s is now a checked copy of %s\n", filepath.Join(c.Data, store.FileName), done.From)
	if done.Aside != "" {
		fmt.Fprintf(c.stdout, "what was there before is in %s: delete it once all is well\n", done.Aside)
	}
	return nil
}
