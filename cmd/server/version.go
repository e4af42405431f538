package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"questboard/orchestration/store"
)

// release is the version, as in CHANGELOG.md.
const release = "0.1.0"

// commit is set by the linker (make build). Otherwise the toolchain may know it.
var commit string

// versions has the versions in this binary.
type versions struct{ Version, Commit, Go, SQLite string }

func versionOf() versions {
	v := versions{Version: release, Commit: commit, Go: runtime.Version(), SQLite: store.SQLiteVersion()}
	if info, ok := debug.ReadBuildInfo(); ok && v.Commit == "" {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				v.Commit = setting.Value[:min(12, len(setting.Value))]
			}
		}
	}
	v.Commit, v.SQLite = cmp.Or(v.Commit, "unknown"), cmp.Or(v.SQLite, "none: built without a C compiler")
	return v
}

func printVersion(_ context.Context, c call) error {
	v := versionOf()
	_, err := fmt.Fprintf(c.stdout, "questboard %s\ncommit %s\n%s\nSQLite %s\n", v.Version, v.Commit, v.Go, v.SQLite)
	return err
}
