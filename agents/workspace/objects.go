package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Names of object files, with SHA-1 or SHA-256.
var (
	looseFolder = regexp.MustCompile(`^[0-9a-f]{2}$`)
	looseFile   = regexp.MustCompile(`^([0-9a-f]{38}|[0-9a-f]{62})$`)
	packFile    = regexp.MustCompile(`^pack-[0-9a-f]{40,64}\.(pack|idx)$`)
)

// linkObjects links every object file that is missing: first the loose ones, then packs
// until they stay the same, because git may pack loose objects meanwhile.
func linkObjects(ctx context.Context, from, to string) error {
	if err := linkLoose(ctx, from, to); err != nil {
		return err
	}
	for range 10 {
		again, err := linkPacks(ctx, from, to)
		if err != nil || !again {
			return err
		}
	}
	return errors.New("its packs change all the time")
}

func linkLoose(ctx context.Context, from, to string) error {
	folders, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if !folder.IsDir() || !looseFolder.MatchString(folder.Name()) {
			continue
		}
		if err := linkFolder(ctx, filepath.Join(from, folder.Name()), filepath.Join(to, folder.Name()), looseFile.MatchString,
			strings.Compare); err != nil {
			return err
		}
	}
	return nil
}

// linkPacks reports whether the packs changed meanwhile.
func linkPacks(ctx context.Context, from, to string) (again bool, err error) {
	dir := filepath.Join(from, "pack")
	before, err := packsIn(dir)
	if err != nil || len(before) == 0 {
		return false, err
	}
	// An index comes after its pack, because git looks for the index.
	order := func(a, b string) int { return strings.Compare(filepath.Ext(b), filepath.Ext(a)) }
	if err := linkFolder(ctx, dir, filepath.Join(to, "pack"), packFile.MatchString, order); err != nil {
		return false, err
	}
	after, err := packsIn(dir)
	return !slices.Equal(before, after), err
}

func packsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, ignoreGone(err)
	}
	var names []string
	for _, e := range entries {
		if packFile.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// linkFolder links the wanted files of one folder that the other lacks.
func linkFolder(ctx context.Context, from, to string, wanted func(string) bool, order func(a, b string) int) error {
	source, err := os.OpenFile(from, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY, 0)
	if err != nil {
		return ignoreGone(err)
	}
	defer source.Close()
	names, err := source.Readdirnames(-1)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	if has, err := os.ReadDir(to); err == nil {
		for _, e := range has {
			there[e.Name()] = true
		}
	} else if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return there[name] || !wanted(name) })
	if len(names) == 0 {
		return nil
	}
	slices.SortFunc(names, order)
	target, err := os.OpenFile(to, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer target.Close()
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := linkFile(ctx, source, target, name); err != nil && !errors.Is(err, fs.ErrNotExist) { // it was packed or pruned meanwhile
			return fmt.Errorf("%s: %w", filepath.Join(from, name), err)
		}
	}
	return nil
}

// linkFile links a plain file, or copies it if it cannot be linked.
func linkFile(ctx context.Context, from, to *os.File, name string) error {
	var info unix.Stat_t
	if err := unix.Fstatat(int(from.Fd()), name, &info, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFREG {
		return odd("it is not a plain file")
	}
	err := unix.Linkat(int(from.Fd()), name, int(to.Fd()), name, 0)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, unix.EXDEV), errors.Is(err, unix.EPERM), errors.Is(err, unix.EMLINK), errors.Is(err, unix.ENOTSUP),
		errors.Is(err, unix.EACCES):
		return copyObject(ctx, from, to, name)
	}
	return err
}

func copyObject(ctx context.Context, from, to *os.File, name string) error {
	fd, err := unix.Openat(int(from.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	in := os.NewFile(uintptr(fd), name)
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, odd("it is not a plain file"))
	}
	out, err := os.CreateTemp(to.Name(), "tmp_obj_*") // git gc removes such files
	if err != nil {
		return err
	}
	_, err = io.Copy(out, reader{ctx, in})
	err = errors.Join(err, out.Chmod(0o400), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), filepath.Join(to.Name(), name))
	}
	if err != nil {
		_ = os.Remove(out.Name())
	}
	return err
}

// reader stops when its context ends.
type reader struct {
	ctx context.Context
	of  io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.of.Read(b)
}
