package store

import (
	"slices"
	"strings"

	"questboard/orchestration"
)

// table is one table of quest rows, with its SQL. Rows are found by (quest_id, key).
type table[T any] struct {
	name         string
	columns      func(*T) []column
	insert       string
	placeholders string // the placeholders of one row
	upsert       string // for tables with rows that change
	query        string // the part before WHERE
	order        string
}

// newTable makes the SQL. key is the second half of the primary key, or "" for one row
// per quest. fixed columns are written only once. guard is a condition on the row that
// an upsert would replace.
func newTable[T any](name, key string, columns func(*T) []column, fixed []string, guard string) table[T] {
	keys := []string{"quest_id"}
	if key != "" {
		keys = append(keys, key)
	}
	names := slices.Clone(keys)
	var sets []string
	for _, c := range columns(new(T)) {
		names = append(names, c.name)
		if !slices.Contains(fixed, c.name) {
			sets = append(sets, c.name+" = excluded."+c.name)
		}
	}
	list := strings.Join(names, ", ")
	insert := "INSERT INTO " + name + " (" + list + ") VALUES "
	row := "(" + placeholders(len(names)) + ")"
	return table[T]{
		name:         name,
		columns:      columns,
		insert:       insert,
		placeholders: row,
		upsert:       insert + row + " ON CONFLICT (" + strings.Join(keys, ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ") + guard,
		query:        "SELECT " + list + " FROM " + name,
		order:        " ORDER BY " + strings.Join(keys, ", "),
	}
}

func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// tables has every table of quests.
type tables struct {
	documents table[orchestration.Quest]
	steps     table[orchestration.Step]
	runs      table[orchestration.Run]
	questions table[orchestration.Question]
	events    table[orchestration.Event]

	insertQuest, updateQuest, queryQuest string
}

func newTables() tables {
	var names, sets []string
	for _, c := range questColumns(new(orchestration.Quest)) {
		names = append(names, c.name)
		sets = append(sets, c.name+" = ?")
	}
	list := strings.Join(names, ", ") + ", is_over, id"
	written := strings.Join(names, ", ") + ", is_over, outcome, id"
	id := []string{"id"}
	return tables{
		documents: newTable("documents", "", documentColumns, nil, ""),
		steps:     newTable("steps", "ord", stepColumns, nil, ""),
		// Every change of a run raises its epoch. If the stored epoch is not smaller,
		// somebody else changed the row meanwhile.
		runs:      newTable("runs", "ord", runColumns, id, " WHERE runs.epoch < excluded.epoch"),
		questions: newTable("questions", "ord", questionColumns, id, ""),
		events:    newTable("events", "seq", eventColumns, nil, ""),

		insertQuest: "INSERT INTO quests (" + written + ") VALUES (" + placeholders(len(names)+3) + ") ON CONFLICT (id) DO NOTHING",
		updateQuest: "UPDATE quests SET " + strings.Join(sets, ", ") + ", is_over = ?, outcome = ? WHERE id = ? AND version = ?",
		queryQuest:  "SELECT " + list + " FROM quests",
	}
}
