package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

func picture(t *testing.T, write func(io.Writer, image.Image) error, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(w io.Writer, i image.Image) error { return jpeg.Encode(w, i, nil) }
func asGIF(w io.Writer, i image.Image) error  { return gif.Encode(w, i, nil) }

// webp is a lossless image of 3 × 2 pixels.
var webp = []byte("RIFF\x1e\x00\x00\x00WEBPVP8L\x11\x00\x00\x00\x2f\x02\x40\x00\x00\x07\x10\xfd\x8f\xfe\x07\x22\xa2\xff\x01\x00")

func upload(name string, data []byte) service.Upload {
	return service.Upload{Name: name, Size: int64(len(data)), Data: data}
}

func TestAnImageIsKnownByItsContent(t *testing.T) {
	t.Parallel()
	a := &service.Attachments{Dir: filepath.Join(t.TempDir(), "attachments")}
	for _, c := range []struct {
		name       string
		data       []byte
		kept, kind string
		refused    string
	}{
		{"a.png", picture(t, png.Encode, 3, 2), "a.png", "image/png", ""},
		{"a.txt", picture(t, asJPEG, 3, 2), "a.txt.jpg", "image/jpeg", ""},
		{"a.jpg", picture(t, asGIF, 3, 2), "a.gif", "image/gif", ""},
		{"a", webp, "a.webp", "image/webp", ""},
		{"a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "a.svg", "", ""},
		{"a.html", []byte("<script>alert(1)</script>"), "a.html", "", ""},
		{"fake.png", []byte("<script>alert(1)</script>"), "", "", "fake.png was not taken: it is no PNG, JPEG, GIF or WebP image, though it is called one."},
		{"fake.webp", []byte("RIFF"), "", "", "it is no PNG"},
		{"cut.png", picture(t, png.Encode, 3, 2)[:20], "", "", "cut.png was not taken: the image is damaged."},
		{"wide.png", picture(t, png.Encode, 8001, 1), "", "", "8001 × 1 pixels, and at most 8000 are possible"},
		{"bomb.webp", append([]byte("RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff"), make([]byte, 8)...), "", "", "16777216 × 16777216 pixels"},
		{"empty.txt", nil, "", "", "it is empty"},
	} {
		all, refused, err := a.Keep(nil, []service.Upload{upload(c.name, c.data)})
		if err != nil {
			t.Fatal(err)
		}
		if c.refused != "" {
			if len(all) > 0 || !strings.Contains(strings.Join(refused, ""), c.refused) {
				t.Errorf("%s: %v, refused %q", c.name, all, refused)
			}
			continue
		}
		if len(refused) > 0 || len(all) != 1 || all[0].Name != c.kept || all[0].Type != c.kind || all[0].Size != int64(len(c.data)) {
			t.Errorf("%s: %+v, refused %q", c.name, all, refused)
		}
	}
}

func TestWhatIsTooMuchIsRefusedByName(t *testing.T) {
	t.Parallel()
	a := &service.Attachments{Dir: t.TempDir()}
	many := make([]service.Upload, 200)
	for i := range many {
		many[i] = upload(fmt.Sprintf("f%d.txt", i), fmt.Appendf(nil, "text %d", i))
	}
	all, refused, err := a.Keep(nil, many)
	if err != nil || len(all) != 20 || len(refused) != 180 || refused[0] != "f20.txt was not taken: a quest has at most 20 files." {
		t.Fatalf("%d taken, %d refused: %.1q %v", len(all), len(refused), refused, err)
	}
	if again, refused, err := a.Keep(all, many[:20]); err != nil || len(again) != 20 || len(refused) > 0 {
		t.Errorf("the same once more: %d, %q, %v", len(again), refused, err)
	}
	data := make([]byte, 10<<20)
	large := []service.Upload{{Name: "huge.iso", Size: 50 << 20}}
	for i := range 3 {
		large = append(large, upload(fmt.Sprintf("l%d.bin", i), append(data[:10<<20-1:10<<20-1], byte(i))))
	}
	large = append(large, upload("small.txt", []byte("small")))
	all, refused, err = a.Keep(nil, large)
	if err != nil || len(all) != 3 || all[2].Name != "small.txt" || len(refused) != 2 || !strings.Contains(refused[0], "huge.iso was not taken: it has 50.0 MiB") ||
		!strings.Contains(refused[1], "l2.bin was not taken: all files of a quest have at most 25 MiB together") {
		t.Errorf("%+v refused %q %v", all, refused, err)
	}
}

// attaching is a service with a quest's files.
func attaching(t *testing.T) (b *beginning, dir string) {
	t.Helper()
	b, dir = newBeginning(), filepath.Join(t.TempDir(), "attachments")
	b.Attachments.Dir, b.Log = dir, slog.New(slog.DiscardHandler)
	return b, dir
}

func (b *beginning) keep(t *testing.T, uploads ...service.Upload) []orchestration.Attachment {
	t.Helper()
	all, refused, err := b.KeepUploads(t.Context(), nil, uploads)
	if err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	return all
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want || (want == "") != errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s has %q, want %q (%v)", path, got, want, err)
	}
}

func TestAQuestHasItsOwnCopiesUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	b, dir := attaching(t)
	n := order("/repo", orchestration.WorkspaceShared)
	n.Attachments = b.keep(t, upload("notes.txt", []byte("one")), upload("notes.txt", []byte("two")))
	first, second := b.begin(t, service.BeginRequest{NewQuest: n}), b.begin(t, service.BeginRequest{NewQuest: n})
	for _, q := range []*orchestration.Quest{first, second} {
		here := b.Attachments.Here(q)
		if len(here) != 2 || here[0].Path != filepath.Join(dir, "quests", q.ID, "notes.txt") || here[1].Name != "notes-2.txt" {
			t.Fatalf("%+v", here)
		}
		wantFile(t, here[0].Path, "one")
		wantFile(t, here[1].Path, "two")
		if info, err := os.Stat(here[0].Path); err != nil || info.Mode().Perm() != 0o400 {
			t.Errorf("%v %v", info, err)
		}
	}
	if err := b.Attachments.Remove(first.ID); err != nil {
		t.Fatal(err)
	}
	if here := b.Attachments.Here(first); here[0].Path != "" {
		t.Errorf("after its deletion: %+v", here)
	}
	wantFile(t, b.Attachments.Here(second)[0].Path, "one")
	if left, _ := os.ReadDir(filepath.Join(dir, "beginning")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Two tabs may start one draft, and one of them with other files.
func TestAQuestThatHasBegunKeepsItsFiles(t *testing.T) {
	t.Parallel()
	b, dir := attaching(t)
	n := order("/repo", orchestration.WorkspaceShared)
	n.Attachments = b.keep(t, upload("a.txt", []byte("first")))
	d, err := b.drafts.SaveDraft(t.Context(), record.Draft{Quest: n})
	if err != nil {
		t.Fatal(err)
	}
	n.ID = d.ID
	q := b.begin(t, service.BeginRequest{NewQuest: n})
	n.Attachments = b.keep(t, upload("a.txt", []byte("other")))
	if again := b.begin(t, service.BeginRequest{NewQuest: n}); again.ID != q.ID || again.Attachments[0].SHA256 != q.Attachments[0].SHA256 {
		t.Errorf("%+v", again.Attachments)
	}
	wantFile(t, filepath.Join(dir, "quests", q.ID, "a.txt"), "first")
}

func TestARefusedBeginningLeavesNothing(t *testing.T) {
	t.Parallel()
	b, dir := attaching(t)
	n := order("/repo", orchestration.WorkspaceShared)
	n.Request, n.Attachments = "", b.keep(t, upload("a.txt", []byte("a")))
	if _, err := b.Begin(t.Context(), service.BeginRequest{NewQuest: n}); orchestration.CodeOf(err) != orchestration.CodeInvalid {
		t.Fatal(err)
	}
	n.Request = "x"
	if err := os.Remove(filepath.Join(dir, "new", n.Attachments[0].SHA256)); err != nil {
		t.Fatal(err)
	}
	_, err := b.Begin(t.Context(), service.BeginRequest{NewQuest: n})
	var refusal *orchestration.Error
	if !errors.As(err, &refusal) || refusal.Fields["attachments"] != "a.txt is not kept any more: add it again" {
		t.Error(err)
	}
	for _, folder := range []string{"quests", "beginning"} {
		if left, _ := os.ReadDir(filepath.Join(dir, folder)); len(left) > 0 {
			t.Errorf("%s has %v", folder, left)
		}
	}
}

// A server may die while a quest begins. The next one finds out whether it has begun.
func TestABeginningThatWasCutShortIsSettled(t *testing.T) {
	t.Parallel()
	b, dir := attaching(t)
	n := order("/repo", orchestration.WorkspaceShared)
	n.Attachments = b.keep(t, upload("a.txt", []byte("a")))
	q := b.begin(t, service.BeginRequest{NewQuest: n})
	for _, id := range []string{q.ID, "never"} {
		for _, name := range []string{"beginning/" + id, "quests/" + id + "/a.txt"} {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.RemoveAll(path), os.WriteFile(path, []byte("a"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "quests", "elsewhere"), 0o700); err != nil { // of another database
		t.Fatal(err)
	}
	b.TidyAttachments(t.Context())
	wantFile(t, filepath.Join(dir, "quests", q.ID, "a.txt"), "a")
	wantFile(t, filepath.Join(dir, "quests", "never", "a.txt"), "")
	if left, _ := os.ReadDir(filepath.Join(dir, "beginning")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "quests", "elsewhere")); err != nil {
		t.Error("what no beginning left was removed:", err)
	}
}

func TestFilesOfOldFormsAreSweptAndThoseOfDraftsStay(t *testing.T) {
	t.Parallel()
	b, dir := attaching(t)
	old := b.keep(t, upload("old.txt", []byte("old")))[0]
	fresh := b.keep(t, upload("fresh.txt", []byte("fresh")))[0]
	n := order("/repo", orchestration.WorkspaceShared)
	n.Attachments = b.keep(t, upload("draft.txt", []byte("draft")))
	if _, err := b.drafts.SaveDraft(t.Context(), record.Draft{Quest: n}); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-100 * time.Hour)
	part := filepath.Join(dir, "new", "half.PART")
	if err := os.WriteFile(part, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{part, filepath.Join(dir, "new", old.SHA256), filepath.Join(dir, "new", n.Attachments[0].SHA256)} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	b.TidyAttachments(context.Background())
	wantFile(t, filepath.Join(dir, "new", old.SHA256), "")
	wantFile(t, part, "")
	wantFile(t, filepath.Join(dir, "new", fresh.SHA256), "fresh")
	wantFile(t, filepath.Join(dir, "new", n.Attachments[0].SHA256), "draft")
}

// Every upload asks for a sweep, and a sweep reads all drafts.
func TestOldFilesAreLookedForOnceAnHour(t *testing.T) {
	t.Parallel()
	b, dir := attaching(t)
	now := time.Now()
	b.Clock = func() time.Time { return now }
	path := filepath.Join(dir, "new", b.keep(t, upload("old.txt", []byte("old")))[0].SHA256)
	long := now.Add(-100 * time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		left  string
	}{{0, "old"}, {59 * time.Minute, "old"}, {time.Minute, ""}} {
		now = now.Add(c.after)
		b.keep(t, upload("b.txt", []byte("b")))
		wantFile(t, path, c.left)
	}
}

func TestOnlyNamesOfOursOpenAttachments(t *testing.T) {
	t.Parallel()
	b, dir := attaching(t)
	secret := filepath.Join(filepath.Dir(dir), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.keep(t, upload("a.txt", []byte("a")))
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "quests", "q"), 0o700), os.Symlink(secret, filepath.Join(dir, "quests", "q", "link")),
		syscall.Mkfifo(filepath.Join(dir, "quests", "q", "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "../../secret", secret, "a\x00", strings.Repeat("f", 63), strings.Repeat("f", 64), "link", "pipe"} {
		if f, err := b.Attachments.OpenNew(name); err == nil {
			t.Errorf("opened %q", f.Name())
		}
		if f, err := b.Attachments.Open("q", name); err == nil {
			t.Errorf("opened %q", f.Name())
		}
	}
}
