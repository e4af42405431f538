package redact

import (
	"regexp"
	"strings"
)

// shape is the form of a kind of secret, and its replacement. A text is searched for it
// only if it contains one of the hints, which are in lower case.
type shape struct {
	looks *regexp.Regexp
	as    string // the replacement, as in regexp.Expand
	hints []string
	in    func(text string) bool  // a quick test of the text; nil: always
	only  func(match string) bool // nil: always
}

// shapes are the secrets that are recognised by their form alone, except for those with a
// beginning of their own (prefixes.go).
var shapes = []shape{
	{looks: re(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|$)`), as: Hidden,
		hints: list("private key-----|private key block-----")},
	{looks: re(`(?m)^\s*[A-Za-z0-9+/]{16,}={1,2}\s*$`), as: Hidden, hints: list("="), in: endsPadded}, // the last line of a key
	{looks: re(`(?i)((?:proxy-)?authorization(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?)(?:[a-z-]+\s+)?[^\s"',;<>` + "`" + `\\]+`),
		as: "${1}" + Hidden, hints: list("authorization")},
	{looks: re(`(?i)\b(bearer|basic)\s+([A-Za-z0-9._~+/=-]{8,})`), as: "${1} " + Hidden, hints: list("bearer |basic |bearer\t|basic\t"),
		only: func(m string) bool { _, word, _ := strings.Cut(m, " "); return !isLowerWord(word) }},
	{looks: re(`(?i)((?:set-)?cookie\\*["']?\s*:\s*\\*["']?[^\s=;:"'\\]+=)[^\r\n"'\\]+`), as: "${1}" + Hidden,
		hints: list("cookie:|cookie :|cookie\"|cookie'|cookie\\")},
	{looks: re(`(?i)([?&](?:key|sig|signature|auth|code|session|sid|pw|pass)=)[^\s&"'<>#]+`), as: "${1}" + Hidden,
		hints: list("key=|sig=|signature=|auth=|code=|session=|sid=|pw=|pass=")},
	{looks: re(`(?i)(\b(?:curl|wget|https?)\b(?:[^\n]|\\\n)*?\s(?:-[a-z]*u|--user|--proxy-user|-a)[ =]?)(?:\\*"[^"\n]*:[^"\n]*"?|\\*'[^'\n]*:[^'\n]*'?|[^\s"':-][^\s:]*:[^\s]+)`), as: "${1}" + Hidden, hints: list("curl|wget|http -|https -")},
	{looks: re(`(?i)(\b(?:mysql\w*|mariadb[\w-]*|mycli|mongo\w*|zip|7za?|rar|unrar|sshpass)\b[^\n|;]*?\s-p)(?:\\*(?:"[^"\n]*"?|'[^'\n]*'?)|[^\s\\"']\S*)`), as: "${1}" + Hidden, hints: list("mysql|mariadb|mycli|mongo|zip|7z|rar|sshpass")},
	{looks: re(`(?i)(\b(?:sshpass|docker|podman|helm|az|ldap\w+|smbclient|unzip|zip|redis-cli|sqlcmd|bcp|isql|curlftpfs|htpasswd|nordvpn|expect)\b[^\n|;]*?\s-(?:p|P|a|w|pass|pw)[ =]+)(?:\\*(?:"[^"\n]*"?|'[^'\n]*'?)|[^\s\\"'-]\S*)`), as: "${1}" + Hidden,
		hints: list("sshpass|docker|podman|helm|az |ldap|smbclient|zip|redis-cli|sqlcmd|bcp|isql"),
		only:  func(m string) bool { return loginCommand.MatchString(m) }},
	{looks: re(`(^|\s)-p(\\*["']?)([A-Za-z0-9!@#$%^&*+_.~-]{6,})`), as: "${1}-p${2}" + Hidden, hints: list("-p"), only: func(m string) bool {
		_, value, _ := strings.Cut(m, "-p")
		return random(strings.Trim(value, `\"'`), false)
	}},
	{looks: re(`(?i)(\b(?:identified\s+by|requirepass|masterauth|enable secret|snmp-server community|-storepass|-keypass|--?pass(?:word)?|pass|stdin:)[ :]\s*\d?\s*)("[^"\n]+"?|'[^'\n]+'?|[^\s"';,]+)`), as: "${1}" + Hidden, hints: list("identified|requirepass|masterauth|enable secret|community|-storepass|-keypass|-pass|pass:"),
		only: func(m string) bool { return passArgument.MatchString(m) }},
	{looks: re(`(?m)(^|[\s"'` + "`" + `=])([A-Za-z0-9_.*-]+:(?:\d{4,5}|\*):[^:\s/]+:[^:\s/]+:)[^\s"'` + "`" + `]+`), as: "${1}${2}" + Hidden,
		hints: list("0:|1:|2:|3:|4:|5:|6:|7:|8:|9:|*:"), in: func(s string) bool { return strings.Count(s, ":") >= 4 }}, // .pgpass
	{looks: re(`(^|[^\w-])([\w.%+-]+:)[^\s"` + "`" + `]+(@(?:tcp|unix|udp|cloudsql)\()`), as: "${1}${2}" + Hidden + "${3}",
		hints: list("@tcp(|@unix(|@udp(|@cloudsql(")},
	{looks: re(`(^|[\s"'=(])([A-Za-z][\w.%+-]*:)([^\s"'/][^\s"']{2,})(@[A-Za-z][\w.-]*:\d{2,5})\b`), as: "${1}${2}" + Hidden + "${4}",
		hints: list("@")},
	{looks: re(`\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id|i|d)|pbkdf2[\w-]*|scrypt)\$[./A-Za-z0-9$=,+]{8,}`), as: Hidden,
		hints: list("$1$|$2a$|$2b$|$2x$|$2y$|$2$|$5$|$6$|$7$|$y$|$gy$|$apr1$|$argon2|$pbkdf2|$scrypt$")},
	{looks: re(`\bhooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]+|\bwebhook\.office\.com/[\w/@-]+|\bdiscord(?:app)?\.com/api/webhooks/\d+/[\w-]+`), as: Hidden, hints: list("hooks.slack.com|webhook.office.com|api/webhooks/")},
	{looks: re(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}\b`), as: Hidden,
		// the id of a session of Claude, and other UUIDs
		hints: list("-1|-3|-4|-5|-7"), in: func(s string) bool { return strings.Count(s, "-") >= 4 }},
	{looks: re(`eyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,4}|ey[A-Za-z0-9]{15,}\.ey[\w/\\-]{15,}[\w./\\-]*={0,2}|ZXlK[A-Za-z0-9+/\\_-]{16,}={0,2}`), as: Hidden, hints: list("eyj|zxlk|.ey")}, // a JSON Web Token, whole or cut
	// a Telegram bot token
	{looks: re(`\b\d{5,16}:A[A-Za-z0-9_-]{10,}`), as: Hidden, hints: list("0:a|1:a|2:a|3:a|4:a|5:a|6:a|7:a|8:a|9:a")},
	{looks: re(`[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,}`), as: Hidden, hints: list("."), in: hasRun}, // a Discord token
	{looks: re(`(?:/home|/Users)/[^/\s"'<>:\\]+`), as: "~", hints: list("/home/|/users/")},
	{looks: re(`(^|[^\w-])-(?:home|Users)-[^-/\s"'<>:\\]+`), as: "${1}-~", hints: list("-home-|-users-")}, // Claude's folders: -home-NAME-src
}

var (
	loginCommand = regexp.MustCompile(`(?i)\b(?:sshpass|unzip|zip|redis-cli|ldap\w+|sqlcmd|smbclient|htpasswd)\b|\blogin\b`)
	passArgument = regexp.MustCompile(`(?i)identified|requirepass|masterauth|enable secret|community|-storepass|-keypass|-pass|\bpass:\S`)
)

func re(s string) *regexp.Regexp { return regexp.MustCompile(s) }
func list(s string) []string     { return strings.Split(s, "|") }

func isLowerWord(s string) bool { return isWord(s) && strings.ToLower(s) == s }

// endsPadded reports whether a line ends with "=".
func endsPadded(s string) bool {
	return strings.HasSuffix(strings.TrimRight(s, " \t\r"), "=") || strings.Contains(s, "=\n") || strings.Contains(s, "=\r") ||
		strings.Contains(s, "= ")
}

// hasRun reports whether a text has a run of ten letters with a digit or a capital, which
// may be generated.
func hasRun(s string) bool {
	letter, digit, length := false, false, 0
	for i := range len(s) {
		switch c := s[i]; {
		case isLower(c):
			letter = true
		case isUpper(c), isDigit(c):
			letter, digit = true, true
		case c != '_' && c != '-':
			letter, digit, length = false, false, -1
		}
		if length++; length >= 10 && letter && digit {
			return true
		}
	}
	return false
}

// hide replaces the shape in a text.
func (a *shape) hide(s string) string {
	if a.in != nil && !a.in(s) {
		return s
	}
	if a.only == nil {
		return a.looks.ReplaceAllString(s, a.as)
	}
	return a.looks.ReplaceAllStringFunc(s, func(match string) string {
		if !a.only(match) {
			return match
		}
		return a.looks.ReplaceAllString(match, a.as)
	})
}
