// Package store keeps quests in one SQLite file: rows, the version-guarded
// commit, queries, migrations, backup. It is the only package that knows gorm.
//
// The promises, and where they are kept:
//
//  1. A commit is one transaction with synchronous FULL: when Commit returns
//     nil, the change survives a power cut (connect.go, commit.go).
//  2. A quest's row is written only over the version that the transition was
//     made from, a run's row only over a smaller epoch; else nothing is
//     written and the answer is engine.ErrStale (commit.go).
//  3. Only rows that a transition names are written, so a commit costs the
//     same in a quest of 10 and of 1,000 steps.
//  4. One server a data directory (lock.go). A file that is not ours, newer
//     than we are, empty or damaged is refused and left as it is (file.go).
//  5. The schema is portable: ids made by the application, times as UTC
//     nanoseconds in integers, JSON as text, agents' output in bytes or files.
//
// gorm opens the connections, runs the transactions and reads the small
// tables. The wide rows of a quest go through its connection as prepared SQL
// that is made from one list of columns a table (columns.go): reflection over
// 45 fields a row would cost more than the fsync.
package store
