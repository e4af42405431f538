package redact_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/handlers/redact"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A value in a repository's file of secrets is hidden everywhere, even in prose, as long
// as the file has it.
func TestValuesOfFilesOfSecretsAreKnown(t *testing.T) {
	t.Parallel()
	dir, r := t.TempDir(), redact.New("", nil)
	write(t, filepath.Join(dir, ".env"), "# of the shop\nexport SHOP_PASSWORD='correct horse'\nMODE=development\nDSN=postgres://me:tulips-in-may@db/x\nPORT=8080\nMAP_KEY=words-alone-as-key\nSORT_KEY=42424242\nSIGN=Zx81yQ77pLm3RtV0\nSHORT_SECRET=abc\n")
	write(t, filepath.Join(dir, "api", ".env.local"), "API_TOKEN=plain-words-only # remark\n")
	write(t, filepath.Join(dir, ".aws", "credentials"), "[default]\naws_secret_access_key = lowercaseonlysecret\n")
	write(t, filepath.Join(dir, ".env.example"), "SHOP_PASSWORD=change-me-please\n")
	const said = `words-alone-as-key, 42424242, correct horse, development, tulips-in-may, 8080, Zx81yQ77pLm3RtV0, plain-words-only, lowercaseonlysecret, change-me-please, abc`
	const want = `[redacted], 42424242, [redacted], development, [redacted], 8080, [redacted], [redacted], [redacted], change-me-please, abc`
	for range 2 { // read first, then remembered
		if got := r.In(t.Context(), dir).Text(said); got != want {
			t.Errorf("%s", got)
		}
	}
	if got := r.Text(said); got != said {
		t.Errorf("without the folder: %s", got)
	}
	write(t, filepath.Join(dir, ".env"), "SHOP_PASSWORD=another-one-now\n")
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(dir, ".env"), later, later); err != nil {
		t.Fatal(err)
	}
	if got := r.In(t.Context(), dir).Text("another-one-now, correct horse"); got != "[redacted], correct horse" {
		t.Errorf("after the change: %s", got)
	}
	if got := r.In(t.Context(), filepath.Join(dir, "gone")).Text(said); got != said {
		t.Errorf("of no folder: %s", got)
	}
}

func TestPasswordsOfRemotesAndOfNetrcAreKnown(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, ".git", "config"), "[remote \"origin\"]\n\turl = https://me:orchids-at-dawn@example.org/x.git\n\tpushurl = https://me:%21lilies%21@example.org/x.git\n[user]\n\tsigningkey = 0123456789ABCDEF\n")
	write(t, filepath.Join(home, ".netrc"), "machine a login me password daffodils-then\nmachine b login me\n  password \"two words\"\n")
	r := redact.New("", redact.Netrc(home))
	const said = "orchids-at-dawn, !lilies!, %21lilies%21, daffodils-then, two words, 0123456789ABCDEF"
	if got := r.In(t.Context(), dir).Text(said); got != "[redacted], [redacted], [redacted], [redacted], [redacted], 0123456789ABCDEF" {
		t.Errorf("%s", got)
	}
	if got := redact.Netrc(filepath.Join(home, "gone")); len(got) != 0 {
		t.Errorf("of no home: %q", got)
	}
}

// A quest may work in a part of a checkout, in a linked worktree or in a submodule. What is secret
// there is above it, or in the git directory that .git names.
func TestSecretsAboveAPartOfACheckoutAreKnown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".env"), "SHOP_PASSWORD=of-no-checkout\n")
	main := filepath.Join(dir, "main")
	write(t, filepath.Join(main, ".env"), "SHOP_PASSWORD=tulips-on-top\n")
	write(t, filepath.Join(main, "web", "beside", ".env"), "SHOP_PASSWORD=roses-beside\n")
	write(t, filepath.Join(main, "web", "app", ".env"), "SHOP_PASSWORD=lilies-below\n")
	write(t, filepath.Join(main, ".git", "config"), "[remote \"origin\"]\n\turl = https://me:orchids-at-dawn@example.org/x.git\n")
	linked := filepath.Join(dir, "linked")
	write(t, filepath.Join(linked, ".git"), "gitdir: "+filepath.Join(main, ".git", "worktrees", "linked")+"\n")
	write(t, filepath.Join(main, ".git", "worktrees", "linked", "commondir"), "../..\n")
	write(t, filepath.Join(main, ".git", "worktrees", "linked", "config.worktree"), "[remote \"mine\"]\n\turl = https://me:asters-of-mine@example.org/x.git\n")
	write(t, filepath.Join(linked, "web", "a.txt"), "")
	module := filepath.Join(main, "module")
	write(t, filepath.Join(module, ".git"), "gitdir: ../.git/modules/module\n")
	write(t, filepath.Join(main, ".git", "modules", "module", "config"), "[remote \"origin\"]\n\turl = https://me:daffodils-then@example.org/y.git\n")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(main, "web", "app"), link); err != nil {
		t.Fatal(err)
	}
	const all = "of-no-checkout tulips-on-top roses-beside lilies-below orchids-at-dawn asters-of-mine daffodils-then"
	for at, want := range map[string][]string{
		main:                              {"tulips-on-top", "orchids-at-dawn"},
		filepath.Join(main, "web", "app"): {"tulips-on-top", "roses-beside", "lilies-below", "orchids-at-dawn"},
		link:                              {"tulips-on-top", "roses-beside", "lilies-below", "orchids-at-dawn"},
		filepath.Join(linked, "web"):      {"orchids-at-dawn", "asters-of-mine"},
		module:                            {"daffodils-then"},
		dir:                               {"of-no-checkout", "tulips-on-top"},
	} {
		hidden := all
		for _, value := range want {
			hidden = strings.ReplaceAll(hidden, value, redact.Hidden)
		}
		if got := redact.New("", nil).In(t.Context(), at).Text(all); got != hidden {
			t.Errorf("%s: %s, want %s", at, got, hidden)
		}
	}
}

// A pipe in the place of a git directory hides nothing and holds nobody.
func TestAPipeAsAGitDirectoryHoldsNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "repo", ".git"), "gitdir: "+pipe+"\n")
	write(t, filepath.Join(dir, "repo", ".env"), "SHOP_PASSWORD=tulips-on-top\n")
	if got := redact.New("", nil).In(t.Context(), filepath.Join(dir, "repo")).Text("tulips-on-top, and more"); got != redact.Hidden+", and more" {
		t.Errorf("%s", got)
	}
}

// A file in the repository cannot make the server wait, read outside the repository, or
// read without end.
func TestOnlyPlainSmallFilesOfTheRepositoryAreRead(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, ".env"), "TOKEN=outside-of-it-all\n")
	write(t, filepath.Join(dir, "big", ".env"), strings.Repeat("# filler\n", 20_000)+"TOKEN=far-behind-the-end\n")
	write(t, filepath.Join(dir, "deep", "deeper", ".env"), "TOKEN=deep-down-below\n")
	for _, err := range []error{os.Symlink(filepath.Join(outside, ".env"), filepath.Join(dir, ".env")), os.Symlink(outside, filepath.Join(dir, "link")),
		syscall.Mkfifo(filepath.Join(dir, "credentials"), 0o600), os.Mkdir(filepath.Join(dir, ".env.d"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const said = "outside-of-it-all far-behind-the-end deep-down-below"
	if got := redact.New("", nil).In(t.Context(), dir).Text(said); got != said {
		t.Errorf("%s", got)
	}
}

// Files with a plain name are found, however many other files, folders and values there
// are.
func TestNothingHidesAFileOfSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range 1000 {
		write(t, filepath.Join(dir, fmt.Sprintf("file-%d", n)), "")
		if n%10 == 0 {
			write(t, filepath.Join(dir, fmt.Sprintf("folder-%d", n), ".env.local"), strings.Repeat(fmt.Sprintf("A_TOKEN=value-of-%d-in-a-row\n", n), 20))
		}
	}
	write(t, filepath.Join(dir, ".env"), "SHOP_PASSWORD=root-tulips\n")
	write(t, filepath.Join(dir, "folder-990", "credentials"), "shop_password=last-tulips\n")
	write(t, filepath.Join(dir, "folder-550", ".env"), "SHOP_PASSWORD=middle-tulips\n")
	if got := redact.New("", nil).In(t.Context(), dir).Text("root-tulips, middle-tulips, last-tulips"); got != "[redacted], [redacted], [redacted]" {
		t.Errorf("%s", got)
	}
}

func TestKnownValuesAreHiddenInWhateverSigns(t *testing.T) {
	t.Parallel()
	r := redact.New("", []string{`quote" and \ slash`, "ÄRGER und slash", "\xff\xfebroken-slash"})
	for _, text := range []string{`quote" and \ slash`, `{"text":"quote\" and \\ slash"}`, "so: ÄRGER und slash", "so: \xff\xfebroken-slash"} {
		if got := r.Text(text); strings.Contains(got, "slash") {
			t.Errorf("%s", got)
		}
	}
}

// A folder on a network that is away holds who opens it, like a pipe that nobody writes to. What
// is secret there is not known then, so nothing is shown, and who asks often is held once.
func TestOfAFolderThatDoesNotAnswerNothingIsShown(t *testing.T) {
	t.Parallel()
	away, here := filepath.Join(t.TempDir(), "away"), t.TempDir()
	write(t, filepath.Join(here, ".env"), "SHOP_PASSWORD=root-tulips\n")
	if err := syscall.Mkfifo(away, 0o600); err != nil {
		t.Fatal(err)
	}
	r := redact.New("", nil)
	begun := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		blind := r.In(t.Context(), away)
		for range 100 {
			blind = r.In(t.Context(), away)
		}
		for what, got := range map[string]string{"a text": blind.Text("root-tulips"), "a short text": blind.Text("abc"),
			"a line": blind.After("before", "after"), "a value": blind.Value("COLOUR", "blue"), "no text": blind.Text("") + redact.Hidden} {
			if got != redact.Hidden {
				t.Errorf("%s: %q", what, got)
			}
		}
		if page, err := blind.HTML([]byte("<p>tulips</p>")); !errors.Is(err, redact.ErrBlind) || len(page) > 0 {
			t.Errorf("a page: %q, %v", page, err)
		}
	}()
	if got := r.In(t.Context(), here).Text("root-tulips"); got != redact.Hidden {
		t.Errorf("another folder meanwhile: %q", got)
	}
	select {
	case <-done:
		if took := time.Since(begun); took > 30*time.Second {
			t.Errorf("a hundred texts took %s", took)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for the folder")
	}
	if writer, err := os.OpenFile(away, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // it answers at last
		_ = writer.Close()
	}
}
