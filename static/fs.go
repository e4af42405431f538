// Package static has the files that browsers load: style sheet, scripts and icon. They
// are embedded, compressed once, and served under a name with their hash, so that
// browsers can cache them forever. js/ has the scripts, and generate.go says how dist/ is
// made.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed dist
var dist embed.FS

// asset is one file, ready to send.
type asset struct {
	contentType string
	plain, gzip []byte
}

// bundle is every asset by its hashed name, and the hashed names.
type bundle struct {
	assets map[string]asset
	hashed map[string]string
}

var load = sync.OnceValue(func() bundle {
	b := bundle{assets: map[string]asset{}, hashed: map[string]string{}}
	entries, err := dist.ReadDir("dist")
	if err != nil {
		panic(fmt.Sprintf("static: read the embedded files: %v", err))
	}
	for _, pictures := range []bool{true, false} { // a style sheet names pictures
		for _, entry := range entries {
			if path.Ext(entry.Name()) == ".svg" == pictures {
				b.add(entry.Name())
			}
		}
	}
	return b
})

func (b *bundle) add(name string) {
	plain, err := dist.ReadFile("dist/" + name)
	if err != nil {
		panic(fmt.Sprintf("static: read the embedded %s: %v", name, err))
	}
	ext := path.Ext(name)
	if ext == ".css" {
		for picture, hashed := range b.hashed {
			plain = bytes.ReplaceAll(plain, []byte("url("+picture+")"), []byte("url("+hashed+")"))
		}
	}
	sum := sha256.Sum256(plain)
	hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	b.hashed[name] = hashed
	b.assets[hashed] = asset{contentType: contentType(ext), plain: plain, gzip: compress(plain)}
}

func contentType(ext string) string {
	switch ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return "application/octet-stream"
	}
}

func compress(plain []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	_, _ = w.Write(plain)                                   // a Buffer does not fail
	_ = w.Close()
	return out.Bytes()
}

// Name returns the hashed name of a file in dist. It panics on an unknown name, which the
// first rendering of any page would find.
func Name(name string) string {
	hashed, ok := load().hashed[name]
	if !ok {
		panic("static: there is no " + name)
	}
	return hashed
}

// Serve answers with the asset of a hashed name, and reports whether there is one. If
// not, it writes nothing.
func Serve(w http.ResponseWriter, r *http.Request, hashed string) bool {
	a, ok := load().assets[hashed]
	if !ok {
		return false
	}
	header := w.Header()
	header.Set("Content-Type", a.contentType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	body := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		body = a.gzip
	}
	header.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // fails if the browser is gone
	}
	return true
}
