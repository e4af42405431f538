package e2e_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// deadMount mounts a file system that answers nothing, like that of a server that is away:
// nobody reads what the kernel asks. A call that needs it never returns until the end of the
// test. Nobody but the user may look into it.
func deadMount(t *testing.T, dir string, user int) error {
	t.Helper()
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = device.Close() }) // every call that waits for it fails then
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", device.Fd(), user, os.Getgid())
	return errors.Join(os.MkdirAll(dir, 0o700), syscall.Mount("dead", dir, "fuse", 0, options))
}

// asked is what the page gets when it asks for a part of the form.
func (s *apiServer) asked(path string) (status int, page string) {
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+path, nil)
	if err != nil {
		return 0, err.Error()
	}
	r.Header.Set("Authorization", "Bearer "+apiToken)
	r.Header.Set("HX-Request-Type", "partial")
	answer, err := (&http.Client{Timeout: 40 * time.Second}).Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}

// A repository on a mount that is away is refused in words after some seconds. Who asks for
// it again and again holds nobody who picks another folder.
func TestARepositoryOnADeadMountHoldsNobody(t *testing.T) {
	d := onSmallDisk(t, 64)
	if d == nil {
		return
	}
	home := filepath.Join(d.dir, "home")
	dead := filepath.Join(home, "dead")
	if err := os.MkdirAll(filepath.Join(home, "alive", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := launch(t, nil, "-data", filepath.Join(d.dir, "data"), "-addr", "127.0.0.1:0", "-agent", "simulated")
	if err := os.Symlink(dead, filepath.Join(home, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := deadMount(t, dead, os.Getuid()); err != nil {
		t.Fatalf("no right to mount FUSE: %v", err)
	}
	folders := func(at string) string { return "/quests/new/folders?at=" + url.QueryEscape(at) }
	look := "/quests/new/repository?repo=" + url.QueryEscape(dead)

	if status, page := s.asked(look); status != http.StatusOK || !strings.Contains(page, dead+" cannot be read: it did not answer within 2s") {
		t.Errorf("what is typed: %d %s", status, page)
	}
	if status, page := s.asked(folders(dead)); status != http.StatusOK || !strings.Contains(page, "did not answer within 2s") {
		t.Errorf("the folder itself: %d %s", status, page)
	}
	if status, page := s.asked(folders(home)); status != http.StatusOK || !strings.Contains(page, `aria-label="Use the repository alive"`) || strings.Count(page, "does not answer") != 2 {
		t.Errorf("the folder with the mount: %d %s", status, page)
	}
	closed := filepath.Join(home, "closed")
	if err := deadMount(t, closed, 65534); err != nil { // in a namespace there is no other user
		t.Log("no folder is closed to root here:", err)
	} else {
		for path, want := range map[string]string{folders(closed): "This server may not read " + closed, "/quests/new/repository?repo=" + url.QueryEscape(closed): closed + " cannot be read: stat"} {
			if status, page := s.asked(path); status != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("without rights: %d %s", status, page)
			}
		}
	}
	answer, page := s.formWith(dead, nil)
	if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, "did not answer within 2s") || !strings.Contains(page, "Do what the notes say.") {
		t.Errorf("the form: %d %s", answer.StatusCode, page)
	}
	answers := make(chan string)
	for i := range 40 {
		go func() {
			path := look
			if i%2 == 0 {
				path = folders(dead)
			}
			_, page := s.asked(path)
			answers <- page
		}()
	}
	for range 40 {
		if page := <-answers; !strings.Contains(page, "did not answer within 2s") {
			t.Errorf("one of many: %s", page)
		}
	}
	other := filepath.Join(d.dir, "other")
	if err := os.MkdirAll(filepath.Join(other, "there"), 0o700); err != nil {
		t.Fatal(err)
	}
	if status, page := s.asked(folders(other)); status != http.StatusOK || !strings.Contains(page, other+"/there") {
		t.Errorf("another folder: %d %s", status, page)
	}
}
