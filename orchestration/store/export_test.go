package store

import (
	"context"
	"io/fs"
	"reflect"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// ApplicationID is the id in the file's header.
const ApplicationID = applicationID

// OpenWith opens with other migrations than the embedded ones.
func OpenWith(ctx context.Context, dir string, files fs.FS) (*Store, error) {
	return open(ctx, dir, Options{}, files)
}

// Migrations returns the embedded migrations.
func Migrations() (fs.FS, error) { return embedded(), nil }

// Explain gives an error of SQLite the class that callers act on.
func Explain(err error) error { return explain(err) }

// OlderThan compares versions of SQLite.
func OlderThan(have, want string) bool { return olderThan(have, want) }

// Written returns the number of rows written so far by the writing connection.
func (s *Store) Written() (rows int64, err error) {
	return rows, s.writer.Raw("SELECT total_changes()").Scan(&rows).Error
}

// Count returns the number of rows of a table.
func (s *Store) Count(table string) (n int, err error) {
	return n, s.writer.Raw("SELECT COUNT(*) FROM " + table).Scan(&n).Error
}

// Pragma asks the writing or a reading connection for a setting.
func (s *Store) Pragma(reader bool, name string) (value string, err error) {
	db := s.writer
	if reader {
		db = s.readers
	}
	ask := "PRAGMA "
	if s.postgres {
		ask = "SHOW "
	}
	return value, db.Raw(ask + name).Scan(&value).Error
}

// Exec changes the database in a way that no method does.
func (s *Store) Exec(query string) error { return s.writer.Exec(query).Error }

// Rewritten returns the types of what is stored as JSON and written again after it was read, by
// table and column, and the settings by name.
func Rewritten() map[string]reflect.Type {
	all := map[string]reflect.Type{
		"quests.delivered": reflect.TypeFor[deliveredJSON](),
		"quests.outcome":   reflect.TypeFor[orchestration.QuestOutcome](),
		"drafts.typed":     reflect.TypeFor[record.Draft](),
		"messages.notices": reflect.TypeFor[[]orchestration.Notice](),
	}
	for table, columns := range map[string][]column{"quests": questColumns(new(orchestration.Quest)),
		"documents": documentColumns(new(orchestration.Quest)), "steps": stepColumns(new(orchestration.Step)),
		"runs": runColumns(new(orchestration.Run)), "questions": questionColumns(new(orchestration.Question))} {
		for _, c := range columns {
			t := reflect.TypeOf(c.value)
			if t.Kind() != reflect.Struct || t == reflect.TypeFor[delivered]() {
				continue
			}
			if to, is := t.FieldByName("to"); is { // wired
				all[table+"."+c.name] = to.Type.Out(0)
			} else {
				all[table+"."+c.name] = t.Field(0).Type.Elem()
			}
		}
	}
	for name, value := range settings(new(engine.Server)) {
		all["settings."+name] = reflect.TypeOf(value).Elem()
	}
	return all
}
