// Package store keeps quests in one SQLite file. It contains the rows, the commits, which
// are guarded by versions, the queries, the migrations and the backups. No other package
// imports gorm. Package orchestration defines what a quest is, and package engine decides
// when it is committed.
//
// The promises, and the files that keep them:
//
//  1. A commit is one transaction with synchronous FULL: when Commit returns
//     nil, the change survives a power cut (connect.go, commit.go).
//  2. A quest's row is written only over the version that the transition came
//     from, a run's row only over a smaller epoch. Otherwise nothing is
//     written, and the error is engine.ErrStale (commit.go).
//  3. Only the rows that a transition names are written, so a commit costs the
//     same in a quest of 10 and of 1,000 steps.
//  4. A data directory has one server (lock.go). A file that is not ours, newer
//     than this program, empty or damaged is refused and left as it is (file.go).
//  5. The schema is portable: ids made by the application, times as UTC
//     nanoseconds in integers, JSON as text, agents' output in bytes or files.
//
// gorm opens the connections, runs the transactions and reads the small tables. The
// wide rows of a quest go through its connection as prepared SQL, made from one list of
// columns for each table (columns.go): reflection over 45 fields per row would cost
// more than the fsync.
package store
