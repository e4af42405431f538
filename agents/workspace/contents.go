package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"questboard/agents/git"
)

// Contents are the files of one commit, read from git's objects: no file is checked out,
// and nothing that the repository configures has an effect.
type Contents struct {
	Commit string
	Top    string // the root of the user's checkout
	Tree   string // the commit, or "commit:folder" if the quest's repository is a folder in a checkout
	ask    func(ctx context.Context, c git.Command) (cut bool, err error)
}

// ErrMany: there are more files than git may list.
var ErrMany = errors.New("there are too many files to list")

// Entry is one file of Contents. Its name is relative to the quest's repository and may
// hold any byte but NUL.
type Entry struct {
	Name string
	Mode string // as git writes it: 100644, 100755, 120000 (a link), 160000 (a submodule)
	Blob string
	Size int64 // -1: git does not know
}

// BaseContents returns the files of the commit that the quest began at. The error may
// be ErrNotBegun.
func (t *Trees) BaseContents(ctx context.Context, ref Ref) (Contents, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return Contents{}, ofQuest("look at the base of", ref.Quest, err)
	}
	known, err := r.refs(ctx, r.baseRef())
	if err == nil && known[r.baseRef()] == "" {
		err = ErrNotBegun
	}
	if err != nil {
		return Contents{}, ofQuest("look at the base of", ref.Quest, err)
	}
	base := known[r.baseRef()]
	return Contents{base, r.users.top, folderIn(base, r.users.prefix), func(ctx context.Context, c git.Command) (bool, error) {
		c.Dir, c.GitDir, c.Common = r.view, r.view, r.view
		_, cut, err := r.t.Git.Run(ctx, c)
		return cut, err
	}}, nil
}

// HeadContents returns the files of the commit that is checked out in a folder. The
// error may be ErrNotGit or ErrNoCommit.
func (g Git) HeadContents(ctx context.Context, dir string) (Contents, error) {
	return g.ContentsOf(ctx, dir, "")
}

// ContentsOf returns the files of a branch or a commit; an empty revision means what is
// checked out. The error may be ErrNotGit, ErrNoCommit or ErrNoRevision.
func (g Git) ContentsOf(ctx context.Context, dir, revision string) (Contents, error) {
	u, err := g.open(ctx, dir)
	if err != nil {
		return Contents{}, err
	}
	name, none := revision, ErrNoRevision
	if revision == "" {
		name, none = "HEAD", ErrNoCommit
	}
	if strings.ContainsRune(name, 0) {
		return Contents{}, fmt.Errorf("%w: %q", none, name)
	}
	head, err := u.commitOf(ctx, name)
	if git.Exited(err, 1) {
		err = none
	}
	if err != nil {
		return Contents{}, fmt.Errorf("look at %s of %s: %w", name, dir, err)
	}
	return Contents{head, u.top, folderIn(head, u.prefix), func(ctx context.Context, c git.Command) (bool, error) {
		_, cut, err := g.Run(ctx, u.asked(c, false))
		return cut, err
	}}, nil
}

func folderIn(commit, prefix string) string {
	if prefix == "" {
		return commit
	}
	return commit + ":" + strings.TrimSuffix(prefix, "/")
}

// listMax limits what git prints to list a commit: some ten million files.
const listMax = 1 << 30

// List calls each for every file, in git's order. After an error, such as ErrMany or the
// end of ctx, the files before it were listed.
func (c Contents) List(ctx context.Context, each func(Entry)) error {
	to := &lister{each: each}
	// "-l" asks for sizes. Where an object is missing git prints none.
	cut, err := c.ask(ctx, git.Command{Args: []string{"ls-tree", "-r", "-l", "-z", "--full-tree", c.Tree}, Limit: listMax, To: to})
	if cut {
		return ErrMany
	}
	return err
}

// ListIn calls each for the file, link or submodule of that name, or for everything in
// the folder of that name, at any depth. It lists at most limit bytes of names; the error
// may be ErrMany.
func (c Contents) ListIn(ctx context.Context, name string, limit int, each func(Entry)) error {
	// By the path in the commit: if the commit lacks the quest's folder, "commit:folder" is an
	// error of git's like that of a broken repository.
	_, folder, _ := strings.Cut(c.Tree, ":")
	within := ""
	if folder != "" {
		within = folder + "/"
	}
	to := &lister{each: func(e Entry) {
		e.Name = strings.TrimPrefix(e.Name, within)
		each(e)
	}}
	cut, err := c.ask(ctx, git.Command{Limit: limit, To: to,
		Args: []string{"ls-tree", "-r", "-l", "-z", "--full-tree", c.Commit, "--", ":(literal)" + within + name}})
	if cut {
		return ErrMany
	}
	return err
}

// lister reads what ls-tree prints: mode, type, id, size, tab, name, NUL.
type lister struct {
	each func(Entry)
	part []byte // of an entry
}

// maxEntry limits what is kept of one entry. A longer name is cut.
const maxEntry = 64 << 10

func (l *lister) Write(b []byte) (int, error) {
	all := len(b)
	for {
		at := bytes.IndexByte(b, 0)
		if at < 0 {
			l.part = append(l.part, b[:min(len(b), max(0, maxEntry-len(l.part)))]...)
			return all, nil
		}
		entry := b[:at]
		if len(l.part) > 0 {
			l.part = append(l.part, entry[:min(at, max(0, maxEntry-len(l.part)))]...)
			entry = l.part
		}
		facts, name, _ := strings.Cut(string(entry), "\t")
		mode, rest, _ := strings.Cut(facts, " ")
		_, rest, _ = strings.Cut(rest, " ") // the type, which the mode says too
		blob, size, ok := strings.Cut(rest, " ")
		if ok && name != "" {
			e := Entry{Name: name, Mode: mode, Blob: blob, Size: -1}
			if n, err := strconv.ParseInt(strings.TrimLeft(size, " "), 10, 64); err == nil {
				e.Size = n
			}
			l.each(e)
		}
		b, l.part = b[at+1:], l.part[:0]
	}
}

// Read calls each with the content of every blob, in the order of the ids and piece by
// piece; the last piece of a blob is empty. A blob that is missing has only that one.
// After an error the blobs before it were read.
func (c Contents) Read(ctx context.Context, blobs []string, each func(n int, piece []byte)) error {
	if len(blobs) == 0 {
		return nil
	}
	to := &blobReader{each: each}
	asked := []byte(strings.Join(blobs, "\n") + "\n")
	_, err := c.ask(ctx, git.Command{Args: []string{"cat-file", "--batch"}, Input: asked, Limit: listMax, To: to})
	if err == nil && to.n < len(blobs) {
		err = errors.New("git did not answer for every object")
	}
	return err
}

// blobReader reads what "cat-file --batch" prints: a line with id, type and size, the
// content, a newline; or a line that ends in "missing".
type blobReader struct {
	each func(n int, piece []byte)
	n    int
	head []byte
	left int64 // of the content, with its newline
}

func (r *blobReader) Write(b []byte) (int, error) {
	all := len(b)
	for len(b) > 0 {
		if r.left > 0 {
			piece := b[:min(int64(len(b)), r.left)]
			b, r.left = b[len(piece):], r.left-int64(len(piece))
			if r.left == 0 {
				piece = piece[:len(piece)-1]
			}
			if len(piece) > 0 {
				r.each(r.n, piece)
			}
			if r.left == 0 {
				r.ended()
			}
			continue
		}
		at := bytes.IndexByte(b, '\n')
		if at < 0 {
			r.head = append(r.head, b...)
			break
		}
		f := strings.Fields(string(append(r.head, b[:at]...)))
		b, r.head = b[at+1:], r.head[:0]
		size, err := int64(0), error(nil)
		if len(f) == 3 {
			size, err = strconv.ParseInt(f[2], 10, 64)
		}
		if len(f) != 3 || err != nil {
			r.ended()
			continue
		}
		r.left = size + 1
	}
	return all, nil
}

func (r *blobReader) ended() {
	r.each(r.n, nil)
	r.n++
}
