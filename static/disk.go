package static

import (
	"net/http"
	"os"
	"path/filepath"
)

// Disk serves assets from a folder, for work on them: the names are those of
// the embedded files, the bytes are what is on disk now, and nothing is cached.
type Disk string

// Serve is as the function of that name.
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
			_, _ = w.Write(text) // the browser may be gone: nobody is left to tell
		}
		return true
	}
	return false
}
