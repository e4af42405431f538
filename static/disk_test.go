package static_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"questboard/static"
)

func TestDiskServesWhatIsThereNowAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, text := range []string{"a {}", "b {}"} {
		if err := os.WriteFile(filepath.Join(dir, "app.css"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		if !static.Disk(dir).Serve(w, httptest.NewRequest("GET", "/", nil), static.Name("app.css")) {
			t.Fatal("the asset is not there")
		}
		if w.Body.String() != text || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("served %q, %v", w.Body, w.Header())
		}
	}
	for _, name := range []string{"app.css", "../disk.go", static.Name("app.js"), ""} {
		if static.Disk(dir).Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), name) {
			t.Errorf("%q is served", name)
		}
	}
}
