package remove_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"questboard/agents/remove"
	"questboard/e2e/e2etest"
)

func rootOf(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func write(t *testing.T, name string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func gone(t *testing.T, dir, name string) {
	t.Helper()
	began := time.Now()
	if err := remove.All(rootOf(t, dir), name); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > e2etest.Room(10*time.Second) {
		t.Errorf("it took %v", took)
	}
	if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
}

func TestWhateverIsThereIsRemoved(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, at string){
		"nothing": func(*testing.T, string) {},
		"a file":  write,
		"a link": func(t *testing.T, at string) {
			if err := os.Symlink("/", at); err != nil {
				t.Fatal(err)
			}
		},
		"folders": func(t *testing.T, at string) {
			write(t, filepath.Join(at, "a", "b", "file"))
			write(t, filepath.Join(at, "c", "file"))
		},
		"more files than are read at a time": func(t *testing.T, at string) {
			for i := range 3000 {
				write(t, filepath.Join(at, "a", "b", "file"+string(rune('A'+i%26))+string(rune(0x4e00+i))))
			}
		},
		"folders that cannot be written": func(t *testing.T, at string) {
			for _, mode := range []fs.FileMode{0o500, 0o300, 0} {
				dir := filepath.Join(at, mode.String())
				write(t, filepath.Join(dir, "inner", "file"))
				if err := errors.Join(os.Chmod(filepath.Join(dir, "inner"), mode), os.Chmod(dir, mode)); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			make(t, filepath.Join(dir, "it"))
			gone(t, dir, "it")
		})
	}
}

func TestNoLinkIsFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept", "file")
	write(t, kept)
	write(t, filepath.Join(dir, "it", "inner", "file"))
	for _, name := range []string{"link", "inner/link"} {
		if err := os.Symlink(filepath.Join(dir, "kept"), filepath.Join(dir, "it", name)); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, dir, "it")
	if _, err := os.Lstat(kept); err != nil {
		t.Error(err)
	}
}

// An agent makes a deep chain of folders in seconds, and can take away the right to write there.
// The process may open few files, and is no root, for whom each folder can be written.
func TestADeepChainOfFoldersIsRemovedInTimeByItsLength(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1000, 20_000} {
		t.Run(strconv.Itoa(depth), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], asAnother, dir, strconv.Itoa(depth))
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
}

const asAnother = "as-another"

// TestMain lets this binary make and remove a chain as another process.
func TestMain(m *testing.M) {
	if len(os.Args) != 4 || os.Args[1] != asAnother {
		os.Exit(m.Run())
	}
	if err := makeAndRemove(os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func makeAndRemove(dir, depth string) error {
	n, err := strconv.Atoi(depth)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // while it may be reached
	if err != nil {
		return err
	}
	defer root.Close()
	if os.Getuid() == 0 {
		err = syscall.Setuid(65534)
	}
	const few = 256
	if err := errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: few, Max: few})); err != nil {
		return err
	}
	if err := e2etest.Chain(root, "it", n, 0o500); err != nil {
		return err
	}
	began := time.Now()
	if err := remove.All(root, "it"); err != nil {
		return err
	}
	if _, err := root.Lstat("it"); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("it is left: %w", err)
	}
	if took := time.Since(began); took > e2etest.Room(10*time.Second) {
		return fmt.Errorf("it took %v", took)
	}
	return nil
}
