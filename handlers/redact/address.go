package redact

import "strings"

// hideInAddresses hides the login in an address, such as X in scheme://X@host. X may
// contain any character. For http, X is hidden even without a password, because a user
// name can be a token.
func hideInAddresses(s string) string {
	var out strings.Builder
	written := 0
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			break
		}
		begin := at + i + len("://")
		scheme := begin - len("://")
		for scheme > at && (isName(s[scheme-1]) || s[scheme-1] == '+' || s[scheme-1] == '-' || s[scheme-1] == '.') {
			scheme--
		}
		end := endOfAddress(s, scheme, begin)
		at = end
		if who := login(s[begin:end], strings.ToLower(s[scheme:begin-len("://")])); who > 0 {
			out.WriteString(s[written:begin])
			out.WriteString(Hidden)
			written = begin + who
		}
	}
	if written == 0 {
		return s
	}
	out.WriteString(s[written:])
	return out.String()
}

// endOfAddress returns the end of an address: a blank, a bracket or a quote. A single
// quote ends it only if one precedes the scheme.
func endOfAddress(s string, scheme, begin int) int {
	stops := " \t\r\n<>\"`"
	if scheme > 0 && s[scheme-1] == '\'' {
		stops += "'"
	}
	length := strings.IndexAny(s[begin:], stops)
	if length < 0 {
		return len(s)
	}
	return begin + length
}

// login is the length of the login before the host's @, or 0 if there is none.
func login(rest, scheme string) int {
	at := strings.LastIndexByte(rest, '@')
	if at <= 0 || strings.HasPrefix(rest, Hidden) {
		return 0
	}
	web := strings.HasPrefix(scheme, "http") || strings.HasPrefix(scheme, "ws")
	who := rest[:at]
	if slash := strings.IndexAny(who, "/?#"); slash >= 0 {
		// The @ may be in the path, as in https://host/@scope, or the / in the password.
		host, port, withPort := strings.Cut(who[:slash], ":")
		inPath := !withPort || number(port) && (web || strings.Contains(host, ".") || host == "localhost")
		if inPath && !strings.Contains(who[:slash], "@") {
			return 0
		}
	}
	if web || strings.Contains(who, ":") {
		return at
	}
	return 0
}
