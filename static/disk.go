package static

import (
	"net/http"
	"os"
	"path/filepath"
)

// Disk serves assets from a folder, for developing them: it uses the names of the
// embedded files and the current bytes on disk, and caches nothing.
type Disk string

// Serve is like the function Serve.
func (d Disk) Serve(w http.ResponseWriter, r *http.Request, hashed string) bool {
	for name, known := range load().hashed {
		if known != hashed {
			continue
		}
		text, err := os.ReadFile(filepath.Join(string(d), name))
		if err != nil {
			return false
		}
		w.Header().Set("Content-Type", contentType(filepath.Ext(name)))
		w.Header().Set("Cache-Control", "no-store")
		if r.Method != http.MethodHead {
			_, _ = w.Write(text) // fails if the browser is gone
		}
		return true
	}
	return false
}
