package redact

import (
	"slices"
	"strings"
)

// weight is how strongly a name says that its value is secret.
type weight int

const (
	nothing weight = iota
	maybe          // the value is secret if it looks generated: auth, key
	many           // a plural, which is mostly a number or a list: "tokens: 1200"
	surely         // password, api_key
)

// secretWords are names of secrets. Longer names end with them: DB_PASSWORD, accessToken,
// pgpassword.
var secretWords = []string{"password", "passwort", "passwd", "passphrase", "passcode", "secret", "token", "credential", "apikey",
	"accesskey",
	"privatekey", "secretkey", "accountkey", "sharedkey", "psk", "pwd", "dbpass", "userpass", "requirepass", "masterauth", "storepass",
	"keypass"}

// maybeWords are names of secrets and of much else.
var maybeWords = []string{"auth", "key", "pass", "cred", "creds", "session", "salt", "jwt"}

// ofKeys are the words before "key" that make it a secret.
var ofKeys = []string{"api", "access", "private", "secret", "account", "shared", "preshared", "master", "encryption", "signing", "auth",
	"storage",
	"deploy", "service", "crypt", "cipher", "hmac", "app", "application", "consumer", "webhook", "wireguard", "license", "server", "admin",
	"write"}

// notOfKeys are the words before "key" that make it public.
var notOfKeys = []string{"public", "pub", "primary", "foreign", "sort", "partition", "cache", "natural", "schema", "bucket", "hot", "index"}

// ofValues are words after a secret's name that say that the value is something else, as
// in TOKEN_FILE, secretName and token.go.
var ofValues = words(`file path dir folder name names field fields type types kind url uri link links endpoint count counts id ids len length
	limit limits size expires expiry expiration ttl header headers prefix suffix policy rule rules regex pattern format form input label
	placeholder hint hints error errors store manager provider handler source reset strength validator valid required min max budget usage
	cost per index mode env var ref arn version map list bucket scope scopes owner user users status at date time changed updated created
	issuer audience class func helper util utils model view page dialog button icon color test tests go js ts tsx jsx mjs py rb rs java kt c h
	cc cpp cs php md txt json yml yaml toml sh css html templ sql lock mod sum total num number used algorithm alg hidden visible`)

var ofCounts = words("max min num total input output cached completion prompt thinking context used")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// nameHints find the names that are worth splitting into words.
var nameHints = newHints(wordsAs(1, secretWords, maybeWords))

func wordsAs(bits uint64, lists ...[]string) []hint {
	var all []hint
	for _, word := range slices.Concat(lists...) {
		all = append(all, hint{word, bits})
	}
	return all
}

// weigh weighs a name. It looks at the text before it, because "API key" is two words.
func weigh(name, before string) weight {
	if len(name) > longestName || nameHints.in(name) == 0 {
		return nothing
	}
	parts := wordsOf(name)
	for i, word := range slices.Backward(parts) {
		w := weighWord(word)
		if w == maybe && strings.TrimSuffix(word, "s") == "key" {
			w = weighKey(parts[:i], before)
		}
		if w == nothing {
			continue
		}
		if slices.ContainsFunc(parts[i+1:], func(s string) bool { return ofValues[s] }) ||
			slices.ContainsFunc(parts[:i], func(s string) bool { return ofCounts[s] && strings.HasPrefix(word, "token") }) {
			return nothing
		}
		if strings.HasSuffix(word, "s") && w == surely && word != "pass" && !strings.HasSuffix(word, "pass") {
			return many
		}
		return w
	}
	return nothing
}

// longestName limits the work on a long text without blanks.
const longestName = 120

func weighWord(word string) weight {
	word = strings.TrimRight(word, "0123456789")
	if slices.Contains(maybeWords, word) || word == "keys" {
		return maybe
	}
	word = strings.TrimSuffix(word, "s")
	for _, s := range secretWords {
		if strings.HasSuffix(word, strings.TrimSuffix(s, "s")) {
			return surely
		}
	}
	return nothing
}

// weighKey weighs a key by the word before it, within the name or in the text.
func weighKey(parts []string, before string) weight {
	if len(parts) == 0 {
		before = strings.TrimRight(before[max(0, len(before)-longestName):], " \t*_`\"'")
		start := len(before)
		for start > 0 && isLetter(before[start-1]) {
			start--
		}
		parts = []string{strings.ToLower(before[start:])}
	}
	last := strings.TrimRight(parts[len(parts)-1], "0123456789")
	switch {
	case slices.Contains(ofKeys, last):
		return surely
	case slices.Contains(notOfKeys, last):
		return nothing
	}
	return maybe
}

// wordsOf splits a name into words in lower case: at characters that are neither letters
// nor digits, and where lower case changes to upper case.
func wordsOf(name string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(name[start:end]))
		}
	}
	for i := range len(name) {
		switch c := name[i]; {
		case !isLetter(c) && !isDigit(c):
			cut(i)
			start = i + 1
		case i > start && isUpper(c) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1]) && isUpper(name[i-1])):
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return parts
}

// hideNamed hides the values that follow the names of secrets.
func hideNamed(s string) string {
	var out strings.Builder
	written := 0
	for at := 0; at < len(s); {
		if !isName(s[at]) {
			at++
			continue
		}
		end := at + 1
		for end < len(s) && (isName(s[end]) || (s[end] == '.' || s[end] == '-') && end+1 < len(s) && isName(s[end+1])) {
			end++
		}
		if w := weigh(s[at:end], s[:at]); w != nothing {
			if v, found := valueAfter(s, at, end, w); found {
				out.WriteString(s[written:v.start])
				out.WriteString(Hidden)
				written, end = v.end, v.end
			}
		}
		at = end
	}
	if written == 0 {
		return s
	}
	out.WriteString(s[written:])
	return out.String()
}

func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isUpper(c) || isLower(c) }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isName(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }
func isSpace(c byte) bool  { return isBlank(c) || c == '\n' || c == '\r' || c == '\f' }
