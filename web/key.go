package web

import (
	"net/http"
	"strings"

	"questboard/web/paths"
)

// A browser's session has two secrets. Cookies do not depend on the port, so every
// other server on this machine gets ours when the browser visits it. That is why the
// cookie allows only reading. To change something or to open the socket, a browser also
// shows the session's key, which it stores where only pages of this origin find it
// (static/js/key.js). Without scripts, a form is answered by a page that asks for the
// owner's token (confirm.go).
const (
	// keyHeader, or keyField in a form, or a subprotocol of the socket that
	// begins with keyProtocol, holds the key.
	keyHeader   = "Questboard-Key"
	keyField    = "questboard_key"
	keyProtocol = "key."
	// keyFragment begins the part of an address that no server is ever sent: the
	// login hands the key over there.
	keyFragment = "#key="
)

// showsKey reports whether a request shows the key of its session. The key is
// never in a page, for a page can be read with the cookie alone.
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

// keyOfSocket reads the key from the protocols that a page offers: the only
// header that a script can give a websocket.
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

// session returns the secret of the session that a request belongs to. Another
// server on this machine can give the browser cookies of our name that come
// before ours: each of them is looked at.
func (o *owner) session(r *http.Request) (string, bool) {
	for _, cookie := range r.CookiesNamed(o.cookie) {
		if o.sessions.has(cookie.Value) {
			return cookie.Value, true
		}
	}
	return "", false
}
