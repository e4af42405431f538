package main

import (
	"context"
	"fmt"
	"path/filepath"

	"questboard/cmd/server/config"
	"questboard/orchestration/store"
)

// migrateDB moves the quests of a data directory into a PostgreSQL database. What agents
// printed, attachments and worktrees stay in the data directory.
func migrateDB(ctx context.Context, c call) error {
	if c.DB == "" {
		return config.Faults{"-db is missing: name the PostgreSQL database, as postgres://USER@HOST:5432/DATABASE"}
	}
	moved, err := store.Move(ctx, c.Data, c.DB)
	if err != nil {
		return err
	}
	for _, t := range moved {
		fmt.Fprintf(c.stdout, "%-10s %8d rows  sha256 %s\n", t.Table, t.Rows, t.Hash)
	}
	fmt.Fprintf(c.stdout, "all rows are in the PostgreSQL database, with the same hashes. Start the server with the same -data and -db;\n"+
		"%s is kept, and no server uses it any more\n", filepath.Join(c.Data, store.FileName))
	return nil
}
