package web

import (
	"net/http"
	"strings"

	"questboard/web/paths"
)

// A browser's session has two secrets. Cookies ignore the port, so the browser sends this
// server's cookie to every other server on this machine that it visits. Therefore the
// cookie only allows reading. To change something or to open the socket, a browser also
// shows the session's key. It keeps the key where only pages of this origin can read it
// (static/js/key.js). If a form comes without the key because there are no scripts, a
// page asks for the owner's token (confirm.go).
const (
	// The key is in the header keyHeader, in the form field keyField, or in a subprotocol
	// of the socket that begins with keyProtocol.
	keyHeader   = "Questboard-Key"
	keyField    = "questboard_key"
	keyProtocol = "key."
	// keyFragment begins the fragment of an address, which browsers never send to a
	// server. The login passes the key on in it.
	keyFragment = "#key="
)

// showsKey reports whether a request shows the key of its session. No page contains the
// key, because the cookie alone is enough to read pages.
func (o *owner) showsKey(r *http.Request) bool {
	session, ok := o.session(r)
	if !ok {
		return false
	}
	shown := r.Header.Get(keyHeader)
	switch {
	case r.URL.Path == paths.WebSocket:
		shown = keyOfSocket(r)
	case shown == "":
		shown = r.PostForm.Get(keyField)
	}
	return o.sessions.isKey(session, shown)
}

// keyOfSocket reads the key from the subprotocols of a websocket, because a script can
// set no other header of it.
func keyOfSocket(r *http.Request) string {
	for _, list := range r.Header.Values("Sec-WebSocket-Protocol") {
		for protocol := range strings.SplitSeq(list, ",") {
			if key, is := strings.CutPrefix(strings.TrimSpace(protocol), keyProtocol); is {
				return key
			}
		}
	}
	return ""
}

// session returns the secret of the session that a request belongs to. It examines every
// cookie of that name, because another server on this machine can set cookies that come
// before ours.
func (o *owner) session(r *http.Request) (string, bool) {
	for _, cookie := range r.CookiesNamed(o.cookie) {
		if o.sessions.has(cookie.Value) {
			return cookie.Value, true
		}
	}
	return "", false
}
