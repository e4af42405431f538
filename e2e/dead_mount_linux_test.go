package e2e_test

import (
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
// test.
func deadMount(t *testing.T, dir string) {
	t.Helper()
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no FUSE:", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", device.Fd(), os.Getuid(), os.Getgid())
	if err := syscall.Mount("dead", dir, "fuse", 0, options); err != nil {
		t.Skip("no right to mount FUSE:", err)
	}
	t.Cleanup(func() { _ = device.Close() }) // every call that waits for it fails then
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
	deadMount(t, dead)
	folders := func(at string) string { return "/quests/new/folders?at=" + url.QueryEscape(at) }
	look := "/quests/new/repository?repo=" + url.QueryEscape(dead)

	if status, page := s.asked(look); status != http.StatusOK || !strings.Contains(page, dead+" cannot be read: it did not answer within 2s") {
		t.Errorf("what is typed: %d %s", status, page)
	}
	if status, page := s.asked(folders(dead)); status != http.StatusOK || !strings.Contains(page, "did not answer within 2s") {
		t.Errorf("the folder itself: %d %s", status, page)
	}
	if status, page := s.asked(folders(home)); status != http.StatusOK || !strings.Contains(page, `aria-label="Use the repository alive"`) || !strings.Contains(page, "does not answer") {
		t.Errorf("the folder with the mount: %d %s", status, page)
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
