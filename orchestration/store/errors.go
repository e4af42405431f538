package store

import (
	"errors"
	"fmt"
)

// Reasons why a server cannot use a data directory. Each comes wrapped in a FileError,
// which names the file and the remedy in one line.
var (
	// ErrLocked: another server uses the data directory.
	ErrLocked = errors.New("the data directory is in use")
	// ErrNewer: a newer Questboard made the database.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrForeign: the file is a database of another program.
	ErrForeign = errors.New("not a questboard database")
	// ErrEmpty: the file is empty, or it is missing but its log exists.
	ErrEmpty = errors.New("the database is empty")
	// ErrDamaged: the file is not a database, or its check failed.
	ErrDamaged = errors.New("the database is damaged")
	// ErrLog: the file and the log beside it do not belong together, or the log
	// is missing.
	ErrLog = errors.New("the database and its log do not belong together")
	// ErrOldSQLite: the SQLite in this binary is too old to be trusted.
	ErrOldSQLite = errors.New("SQLite is too old")
	// ErrElsewhere: the files of the database's quests are in another data directory.
	ErrElsewhere = errors.New("the files of the quests are elsewhere")
	// ErrAddress: the address of a PostgreSQL database cannot be read.
	ErrAddress = errors.New("the address of the database cannot be read")
	// ErrRefused: a PostgreSQL refuses us.
	ErrRefused = errors.New("the database refuses")
	// ErrOldPostgres: a PostgreSQL is too old to be trusted.
	ErrOldPostgres = errors.New("PostgreSQL is too old")
	// ErrNoCompiler: the binary was built without cgo, so it has no SQLite.
	ErrNoCompiler = errors.New("built without a C compiler")
)

// FileError says in one line why a file cannot be used and what to do. The file is
// unchanged.
type FileError struct {
	Kind   error  // an error above, or one for which engine.Unwritable is true
	File   string // the file or directory; may be empty
	Why    string
	Remedy string
	// Server is the address of the server that works with the PostgreSQL database, if Kind is
	// ErrLocked and it is known.
	Server string
}

// Error implements error.
func (e *FileError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("%s: %s", e.Why, e.Remedy)
	}
	return fmt.Sprintf("%s: %s: %s", e.File, e.Why, e.Remedy)
}

// Unwrap makes errors.Is(err, ErrNewer) work.
func (e *FileError) Unwrap() error { return e.Kind }
