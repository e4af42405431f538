package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/stdlib"
)

// PostgreSQL refuses NUL in text, and agents print it. So text goes there with NUL written
// as two characters. The first of them is one that Unicode gives to nobody; where a text has
// it nevertheless, it is written as two, too.
var (
	toPostgres   = strings.NewReplacer("\x00", "\U0010FFFF0", "\U0010FFFF", "\U0010FFFF1")
	fromPostgres = strings.NewReplacer("\U0010FFFF0", "\x00", "\U0010FFFF1", "\U0010FFFF")
)

// texts opens connections that carry any text.
type texts struct {
	driver.Connector
	reads bool // the connections only read
}

// Connect implements driver.Connector.
func (t texts) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := t.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	inner, ok := c.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("a connection is a %T", c)
	}
	return textConn{inner, t.reads}, nil
}

type textConn struct {
	*stdlib.Conn
	reads bool
}

// again gives the error of a statement that may be repeated on another connection, because
// this one is gone: PostgreSQL was restarted.
func (c textConn) again(err error) error {
	if err != nil && c.Conn.Conn().IsClosed() {
		return driver.ErrBadConn
	}
	return err
}

// BeginTx implements driver.ConnBeginTx.
func (c textConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.BeginTx(ctx, o)
	return tx, c.again(err)
}

// ExecContext implements driver.ExecerContext.
func (c textConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := sendable(args); err != nil {
		return nil, err
	}
	return c.Conn.ExecContext(ctx, query, args)
}

// QueryContext implements driver.QueryerContext.
func (c textConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := sendable(args); err != nil {
		return nil, err
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if inner, ok := rows.(*stdlib.Rows); ok && err == nil {
		return textRows{inner}, nil
	}
	if c.reads {
		err = c.again(err)
	}
	return rows, err
}

func sendable(args []driver.NamedValue) (err error) {
	for i := range args {
		if v, ok := args[i].Value.(driver.Valuer); ok {
			if args[i].Value, err = v.Value(); err != nil {
				return err
			}
		}
		if text, ok := args[i].Value.(string); ok {
			args[i].Value = toPostgres.Replace(strings.ToValidUTF8(text, "\uFFFD")) // which it refuses, too
		}
	}
	return nil
}

type textRows struct{ *stdlib.Rows }

// Next implements driver.Rows.
func (r textRows) Next(row []driver.Value) error {
	if err := r.Rows.Next(row); err != nil {
		return err
	}
	for i := range row {
		if text, ok := row[i].(string); ok {
			row[i] = fromPostgres.Replace(text)
		}
	}
	return nil
}
