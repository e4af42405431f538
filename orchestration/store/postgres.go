package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"questboard/orchestration/engine"
)

const (
	// oldestPostgres is the oldest release that the tests run on.
	oldestPostgres = 15
	// lockKey is the advisory lock of the server that works with a database.
	lockKey = applicationID
	// unanswered is how long a PostgreSQL that does not answer is waited for.
	unanswered = 5 * time.Second
)

// connectPostgres opens the pools. The connection that writes holds the advisory lock as
// long as it lives. So a server that has lost its connection, and with it the lock, cannot
// write any more once another has begun.
func (s *Store) connectPostgres(ctx context.Context, o Options, list []migration) error {
	config, err := s.readAddress(o.Postgres)
	if err != nil {
		return err
	}
	if s.writer, err = s.pool(config, 1, false); err != nil {
		return s.unreachable(err)
	}
	if s.readers, err = s.pool(config, cmp.Or(o.Readers, 4), true); err != nil {
		return s.unreachable(err)
	}
	if err := s.upgradePostgres(ctx, list, o.Version); err != nil {
		return s.unreachable(err)
	}
	return nil
}

func (s *Store) readAddress(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil { // its text may hold the password
		return nil, &FileError{Kind: ErrAddress, File: "the PostgreSQL database", Why: "its address cannot be read",
			Remedy: "write it as postgres://USER@HOST:5432/DATABASE"}
	}
	s.postgres, s.file, s.session = true, databaseOf(config), "questboard "+rand.Text()
	return config, nil
}

// databaseOf names a database for people, without its password.
func databaseOf(c *pgx.ConnConfig) string {
	return fmt.Sprintf("PostgreSQL database %s at %s", c.Database, net.JoinHostPort(c.Host, fmt.Sprint(c.Port)))
}

// pool opens at most n connections. Those that only read cannot write.
func (s *Store) pool(config *pgx.ConnConfig, n int, reads bool) (*gorm.DB, error) {
	c := config.Copy()
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, unanswered)
	c.RuntimeParams["application_name"] = s.session
	c.DialFunc = dialer.DialContext
	// PostgreSQL must not keep the lock of a host that is gone for the two hours that TCP allows.
	every := strconv.Itoa(int(aliveEvery.Seconds()))
	for name, value := range map[string]string{"tcp_keepalives_idle": every, "tcp_keepalives_interval": every,
		"tcp_keepalives_count": strconv.Itoa(aliveTries)} {
		c.RuntimeParams[name] = value
	}
	if !reads {
		c.BuildContextWatcherHandler = func(*pgconn.PgConn) ctxwatch.Handler { return patient{} }
	}
	asked := c.ValidateConnect // by target_session_attrs
	// An error goes on to the next host.
	c.ValidateConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		if err := s.check(c); err != nil || asked == nil {
			return err
		}
		return asked(ctx, c)
	}
	prepare := func(ctx context.Context, c *pgx.Conn) error {
		if !reads {
			return s.holdLock(ctx, c)
		}
		_, err := c.Exec(ctx, "SET default_transaction_read_only = on")
		return err
	}
	db := sql.OpenDB(texts{stdlib.GetConnector(*c, stdlib.OptionAfterConnect(prepare)), reads})
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return gorm.Open(postgres.New(postgres.Config{Conn: db}), &gorm.Config{
		SkipDefaultTransaction: true, // Commit opens its own transaction
		Logger:                 logger.Discard,
		DisableAutomaticPing:   true,
	})
}

// patient finishes a statement whose caller has gone. Else the connection would be closed, and with
// it this server's lock: a server that stands by could take it.
type patient struct{}

// HandleCancel implements ctxwatch.Handler.
func (patient) HandleCancel(context.Context) {}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (patient) HandleUnwatchAfterCancel() {}

// holdLock makes a connection the one that writes. A server that was killed keeps its lock
// until PostgreSQL has seen that the connection is gone; so does this one, after its network
// was cut, and then it ends its old session itself.
func (s *Store) holdLock(ctx context.Context, c *pgx.Conn) error {
	// A commit that is told to be stored must survive a power cut.
	const durable = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
	if _, err := c.Exec(ctx, durable); err != nil {
		return err
	}
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		var ours bool
		if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", lockKey).Scan(&ours); err != nil || ours {
			return err
		}
		var held bool
		if err := c.QueryRow(ctx, endOwnSession, int64(lockKey), s.session).Scan(&held); err != nil {
			return err
		}
		if s.takeOver > 0 {
			if _, err := c.Exec(ctx, endHungSession, int64(lockKey), s.takeOver.Seconds()); err != nil {
				return err
			}
		}
		switch since := time.Since(begun); {
		case held && since > lingerTime:
			return errOtherServer
		case since > unanswered:
			return errOldSession
		}
	}
}

// endOwnSession ends the session that holds the lock if it is of the same server, and says
// whether another one's does.
const endOwnSession = `SELECT COALESCE(bool_or(CASE WHEN a.application_name = $2 THEN NOT pg_terminate_backend(l.pid) ELSE TRUE END), FALSE)
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.granted AND l.locktype = 'advisory' AND l.database = a.datid AND a.datname = current_database() AND (l.classid::bigint << 32) + l.objid::bigint = $1`

// endHungSession ends the session that holds the lock if it has done nothing for so many
// seconds, by the clock of the database. A server that works asks every few seconds.
const endHungSession = `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.granted AND l.locktype = 'advisory' AND l.database = a.datid AND a.datname = current_database() AND (l.classid::bigint << 32) + l.objid::bigint = $1
AND clock_timestamp() - a.state_change > make_interval(secs => $2)`

var (
	errOtherServer = errors.New("another server works with this database")
	errOldSession  = errors.New("an old session of this server does not end")
)

// unreachable says what to do about a database that cannot be used.
func (s *Store) unreachable(err error) error {
	fault := func(kind error, why, remedy string) error {
		return &FileError{Kind: kind, File: s.file, Why: why, Remedy: remedy}
	}
	var known *FileError
	var answer *pgconn.PgError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errOtherServer):
		return fault(ErrLocked, "another questboard works with this database", "use that one, stop it, or choose another database")
	case errors.As(err, &answer):
		return fault(ErrRefused, fmt.Sprintf("PostgreSQL refuses: %s (%s)", answer.Message, answer.Code), remedies(answer.Code))
	default:
		return fault(engine.ErrAway, "it does not answer ("+cause(err).Error()+")", "start PostgreSQL, or mend the address")
	}
}

// remedies says what to do about a refusal with this code.
func remedies(code string) string {
	switch code {
	case "3D000":
		return "make the database with `createdb`"
	case "28000", "28P01":
		return "mend the user, the password, or PostgreSQL's pg_hba.conf"
	case "42501":
		return "make this user the owner of the database"
	default:
		return "look into the log of PostgreSQL"
	}
}

// cause is the innermost error: those around it repeat the address.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// check refuses a PostgreSQL or a database that we cannot keep our promises with, by what
// it says of itself when a connection begins.
func (s *Store) check(c *pgconn.PgConn) error {
	version, encoding := c.ParameterStatus("server_version"), c.ParameterStatus("server_encoding")
	major, _, _ := strings.Cut(version, ".")
	switch n, err := strconv.Atoi(major); {
	case err == nil && n < oldestPostgres:
		return &FileError{Kind: ErrOldPostgres, File: s.file, Why: "this is PostgreSQL " + version, Remedy: fmt.Sprintf("use version %d or newer",
			oldestPostgres)}
	case encoding != "UTF8":
		return &FileError{Kind: ErrForeign, File: s.file, Why: "its text is encoded as " + encoding,
			Remedy: "make a database with `createdb -E UTF8 -T template0`"}
	case c.ParameterStatus("in_hot_standby") == "on":
		return &FileError{Kind: engine.ErrReadOnly, File: s.file, Why: "this PostgreSQL is a standby, which cannot be written",
			Remedy: "use the address of the primary"}
	}
	return nil
}

// transaction runs one transaction of the connection that writes. Its error is nil only if
// the transaction was committed. If PostgreSQL goes away during the commit, nobody has said
// whether it took place, so it is asked.
func (s *Store) transaction(ctx context.Context, do func(tx *gorm.DB) error) error {
	db := s.writer.WithContext(ctx)
	if !s.postgres {
		return db.Transaction(do)
	}
	var id string // of the transaction, once nothing but its commit is left
	err := db.Transaction(func(tx *gorm.DB) error {
		if err := do(tx); err != nil {
			return err
		}
		return tx.Raw("SELECT pg_current_xact_id()::text").Row().Scan(&id)
	})
	var answer *pgconn.PgError
	if err == nil || id == "" || errors.As(err, &answer) && answer.Severity == "ERROR" {
		return err
	}
	if s.tookPlace(ctx, id) {
		return nil
	}
	return err
}

// tookPlace reports whether a transaction was committed, as far as PostgreSQL answers.
func (s *Store) tookPlace(ctx context.Context, id string) bool {
	for begun := time.Now(); time.Since(begun) < unanswered; time.Sleep(50 * time.Millisecond) {
		var open, committed bool
		err := s.readers.WithContext(ctx).Raw("SELECT COALESCE(s = 'in progress', FALSE), COALESCE(s = 'committed', FALSE) FROM "+
			"pg_xact_status(?::xid8) AS s", id).Row().Scan(&open, &committed)
		if err == nil && !open {
			return committed
		}
	}
	return false
}

// explain maps a driver's error to the class that callers act on.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if class := postgresFault(err); class != nil {
		return fmt.Errorf("%w (%w): %w", class, engine.ErrRemote, err)
	}
	return explainSQLite(err)
}

// postgresFault returns the class of an error that says that PostgreSQL writes nothing
// now; nil for any other.
func postgresFault(err error) error {
	var answer *pgconn.PgError
	var network net.Error
	var connect *pgconn.ConnectError
	switch {
	case errors.Is(err, errOtherServer):
		return engine.ErrSuperseded
	case errors.As(err, &answer):
		switch {
		case answer.Code == "53100":
			return engine.ErrFull
		case answer.Code == "25006": // a standby, or set to read-only
			return engine.ErrReadOnly
		case len(answer.Code) == 5 && (answer.Code[:2] == "08" || answer.Code[:2] == "53" || answer.Code[:2] == "57" || answer.Code[:2] == "58"):
			return engine.ErrAway // no connection, no memory, shut down, a system's error
		}
	case errors.As(err, &connect) && errors.Is(err, engine.ErrReadOnly): // a standby
		return engine.ErrReadOnly
	case errors.Is(err, errOldSession), errors.As(err, &network), errors.As(err, &connect), pgconn.SafeToRetry(err),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, driver.ErrBadConn):
		return engine.ErrAway
	}
	return nil
}
