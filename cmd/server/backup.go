package main

import (
	"context"
	"fmt"
	"path/filepath"

	"questboard/orchestration/service"
	"questboard/orchestration/store"
)

// backup copies the current database. It may run next to a server.
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
	if cfg.DB != "" {
		return store.ErrOwnBackups
	}
	if err := store.Copy(ctx, cfg.Data, file); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.stdout, "%s is a checked copy of %s\n", file, filepath.Join(cfg.Data, store.FileName))
	return err
}

// restore replaces the database with a backup. It must not run next to a server.
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
	if cfg.DB != "" {
		return store.ErrOwnBackups
	}
	done, err := store.Restore(ctx, cfg.Data, file)
	if err != nil {
		return err
	}
	for _, unfit := range done.Unfit {
		fmt.Fprintf(w.stdout, "not used: %s\n", service.OneLine(unfit))
	}
	fmt.Fprintf(w.stdout, "%s is now a checked copy of %s\n", filepath.Join(cfg.Data, store.FileName), done.From)
	if done.Aside != "" {
		fmt.Fprintf(w.stdout, "what was there before is in %s: delete it once all is well\n", done.Aside)
	}
	return nil
}
