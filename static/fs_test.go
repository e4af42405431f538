package static_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/static"
)

func get(t *testing.T, name, encoding string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", "/static/"+name, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	if !static.Serve(w, r, name) {
		t.Fatalf("there is no asset %s", name)
	}
	return w
}

func TestAssetsAreCachedForEverAndCompressed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"app.js", "app.css", "icon.svg"} {
		plain := get(t, static.Name(name), "")
		packed := get(t, static.Name(name), "gzip, br")
		if got := packed.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: Cache-Control is %q", name, got)
		}
		unpack, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(unpack)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("%s: compressed and plain differ", name)
		}
	}
}

func TestUnknownAssetsAreNotServed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"app.js", "../fs.go", "", "dist"} {
		if static.Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), name) {
			t.Errorf("%q was served", name)
		}
	}
}

// The limits of the front end: what a first visit loads, compressed.
func TestBudgets(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{"app.js": 30 << 10, "app.css": 10 << 10} {
		if size := get(t, static.Name(name), "gzip").Body.Len(); size > limit {
			t.Errorf("%s has %d bytes compressed, more than %d", name, size, limit)
		}
	}
}

// Files of others are unchanged: each file under vendor/ has its licence and its checksum
// next to it.
func TestVendoredFilesAreUnchanged(t *testing.T) {
	t.Parallel()
	sums, err := filepath.Glob("vendor/*/SHA256SUMS")
	if err != nil || len(sums) == 0 {
		t.Fatalf("no checksums: %v", err)
	}
	for _, file := range sums {
		list, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(list), "LICENSE") {
			t.Errorf("%s names no licence", file)
		}
		for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
			want, name, _ := strings.Cut(line, "  ")
			content, err := os.ReadFile(filepath.Join(filepath.Dir(file), name))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(content)
			if hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s differs from what was vendored", name)
			}
		}
	}
}

// HTML is parsed in one file (js/htmx.js), and nothing is evaluated.
func TestOwnScriptsWriteNoHTML(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("js/*.js")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range scripts {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
			if strings.Contains(string(source), word) {
				t.Errorf("%s uses %s", name, word)
			}
		}
	}
}

// A tick says that something is true. A style sheet cannot know that, so it must not put
// ticks before the items of a list.
func TestNoStyleTicksAnythingOff(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("css/*.css")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d style sheets (%v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(text), "✓✔☑") {
			t.Errorf("%s holds a tick", file)
		}
	}
}
