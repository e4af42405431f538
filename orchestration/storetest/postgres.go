package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Cluster is a PostgreSQL of the tests' own, in a temporary folder. It answers on a Unix
// socket only.
type Cluster struct {
	Dir  string // of the data and of the socket
	bin  string
	as   *syscall.Credential // nil: as ourselves
	sync bool                // a commit is on the disk, as in a cluster that people use
	keep *exec.Cmd           // ends with the process that started it
	stop io.WriteCloser
	made atomic.Int64
}

var ours = sync.OnceValues(func() (*Cluster, error) { return startCluster(false) })

// SyncedPostgres is Postgres in a cluster whose commits are on the disk when they are answered.
func SyncedPostgres(t testing.TB) string {
	t.Helper()
	c, err := oursSynced()
	return have(t, c, err).Database(t)
}

var oursSynced = sync.OnceValues(func() (*Cluster, error) { return startCluster(true) })

// NewCluster starts a cluster that one test has for itself.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	return own(t, false)
}

// NewSyncedCluster starts one whose commits are on the disk when they are answered. Its times are
// those that people have.
func NewSyncedCluster(t testing.TB) *Cluster {
	t.Helper()
	return own(t, true)
}

// own starts a cluster that ends with the test.
func own(t testing.TB, synced bool) *Cluster {
	t.Helper()
	c, err := startCluster(synced)
	c = have(t, c, err)
	t.Cleanup(func() {
		_ = c.stop.Close() // its folder goes, too
		_ = c.keep.Wait()  // says that it was killed
	})
	return c
}

// Postgres returns the address of a new, empty database, in a cluster that the tests of a
// process share. Without PostgreSQL it skips the test; with CI=true it fails it.
func Postgres(t testing.TB) string {
	t.Helper()
	c, err := ours()
	return have(t, c, err).Database(t)
}

func have(t testing.TB, c *Cluster, err error) *Cluster {
	t.Helper()
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Database makes a new, empty database and returns its address.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.Address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	name := fmt.Sprintf("quests_%d", c.made.Add(1))
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return c.Address(name)
}

// Analyze lets PostgreSQL look at the rows of a database now, as it does by itself within a minute.
func (c *Cluster) Analyze(t testing.TB, address string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), "VACUUM ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

// Address is the address of a database of the cluster.
func (c *Cluster) Address(database string) string {
	return fmt.Sprintf("host=%s user=questboard dbname=%s", c.Dir, database)
}

// startCluster makes a cluster and starts it. It ends, and its folder goes, with this
// process, however that ends.
func startCluster(synced bool) (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	c := &Cluster{bin: bin, sync: synced}
	if c.Dir, err = os.MkdirTemp("", "questboard-pg-"); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		if c.as, err = unprivileged(); err != nil {
			return nil, err
		}
		if err := os.Chown(c.Dir, int(c.as.Uid), int(c.as.Gid)); err != nil {
			return nil, err
		}
	}
	if out, err := c.command("initdb", "--no-sync", "-A", "trust", "-U", "questboard", "-E", "UTF8", "--locale=C", "-D",
		c.data()).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a cluster: %w\n%s", err, out)
	}
	return c, c.Start()
}

func (c *Cluster) data() string { return filepath.Join(c.Dir, "data") }

// Start starts the cluster and waits until it answers.
func (c *Cluster) Start() error {
	// The shell reads a word, or that we are gone. Then it stops PostgreSQL at once.
	const guard = `"$1" -D "$2" -k "$3" -h "" -c fsync="$4" -c max_connections=300 -c log_min_messages=fatal & pid=$!
		read -r word; kill -QUIT $pid; wait $pid; [ -n "$word" ] || rm -rf "$3"`
	c.keep = exec.Command("sh", "-c", guard, "sh", filepath.Join(c.bin, "postgres"), c.data(), c.Dir, strconv.FormatBool(c.sync))
	c.keep.SysProcAttr = &syscall.SysProcAttr{Credential: c.as, Setpgid: true}
	c.keep.Dir = c.Dir
	var err error
	if c.stop, err = c.keep.StdinPipe(); err != nil {
		return err
	}
	if err := c.keep.Start(); err != nil {
		return err
	}
	for range 1000 {
		conn, err := pgx.Connect(context.Background(), c.Address("postgres"))
		if err == nil {
			return conn.Close(context.Background())
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("PostgreSQL in %s does not answer", c.Dir)
}

// Stop stops the cluster as a power cut would: everybody who is connected is cut off.
func (c *Cluster) Stop() error {
	if _, err := io.WriteString(c.stop, "stay\n"); err != nil {
		return err
	}
	return c.keep.Wait()
}

func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	cmd.Dir = c.Dir
	return cmd
}

// binaries finds the folder of the newest PostgreSQL of this machine.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if at, err := exec.LookPath("initdb"); err == nil {
		found = append(found, at)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("PostgreSQL is not installed (apt-get install postgresql): %w", fs.ErrNotExist)
	}
	return filepath.Dir(slices.Max(found)), nil
}

// unprivileged is the user as whom root starts PostgreSQL.
func unprivileged() (*syscall.Credential, error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
