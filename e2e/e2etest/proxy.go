package e2etest

import "net/http"

// FullDuplex lets a proxy read a request while it answers. Otherwise net/http closes the request's
// body once the answer begins. A proxy that still looks for its end breaks off then, and cuts the
// answer: on a busy machine that happens.
func FullDuplex(proxy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always is
		proxy.ServeHTTP(w, r)
	})
}
