package main

import (
	"context"
	"fmt"
	"path/filepath"

	"questboard/orchestration/store"
)

// migrateDB moves the quests of a data directory into a PostgreSQL database. What agents
// printed, attachments and worktrees stay in the data directory.
func migrateDB(ctx context.Context, args []string, w world) error {
	cfg, rest, err := parse("migrate-db", args, w.getenv)
	if err != nil {
		return err
	}
	if err := noArguments(rest); err != nil {
		return err
	}
	if cfg.DB == "" {
		return usageFaults{"-db is missing: name the PostgreSQL database, as postgres://USER@HOST:5432/DATABASE"}
	}
	moved, err := store.Move(ctx, cfg.Data, cfg.DB)
	if err != nil {
		return err
	}
	for _, t := range moved {
		fmt.Fprintf(w.stdout, "%-10s %8d rows  sha256 %s\n", t.Table, t.Rows, t.Hash)
	}
	fmt.Fprintf(w.stdout, "all rows are in the PostgreSQL database, with the same hashes. Start the server with the same -data and -db;\n"+
		"%s is kept, and no server uses it any more\n", filepath.Join(cfg.Data, store.FileName))
	return nil
}
