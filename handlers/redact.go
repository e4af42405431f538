package handlers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Redactor takes out of a text what others than the owner must not read:
// secrets, and where the owner lives on this machine. It knows secrets by their
// shape, and those of this server by name. It errs on the side of hiding.
type Redactor struct {
	known   *strings.Replacer // may be nil
	home    *regexp.Regexp    // may be nil
	shapes  []shape
	keyLine *regexp.Regexp
}

// hidden stands for what was taken out.
const hidden = "[redacted]"

// shortestSecret is from where on a known value is looked for: shorter ones
// stand in words by chance.
const shortestSecret = 8

// NewRedactor returns a redactor that knows the owner's home and the values of
// secrets of this server; both may be empty.
func NewRedactor(home string, secrets []string) *Redactor {
	r := &Redactor{shapes: secretShapes(), keyLine: regexp.MustCompile(fmt.Sprintf(`[A-Za-z0-9+/]{%d,}={0,2}`, keyLineLength))}
	var pairs []string
	// The longest first: one may hold another.
	secrets = slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			pairs = append(pairs, secret, hidden)
		}
	}
	if len(pairs) > 0 {
		r.known = strings.NewReplacer(pairs...)
	}
	if home = strings.TrimRight(home, "/"); len(home) > 1 {
		r.home = regexp.MustCompile(regexp.QuoteMeta(home) + `(\W|$)`)
	}
	return r
}

// Environment returns the values of those variables, given as NAME=value, whose
// names say that they are secret.
func Environment(environ []string) []string {
	var values []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if secretName.MatchString(name) {
			values = append(values, value)
		}
	}
	return values
}

var secretName = regexp.MustCompile(`(?i)token|secret|passw|api_?key|access_?key|private_?key|credential|(^|_)auth(_|$)`)

// shape is what a kind of secret looks like, and what stands for it. A text is
// searched only if it holds one of the hints, in small letters: that is fifty
// times as quick.
type shape struct {
	hints []string
	looks *regexp.Regexp
	as    string
}

// naming is a name after which a secret comes, and namingHints is in each.
const naming = `[A-Za-z0-9_.-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)s?[A-Za-z0-9_]*`

func secretShapes() []shape {
	named := []string{"passw", "passphrase", "secret", "token", "key", "credential"}
	as := func(looks, as string, hints ...string) shape { return shape{hints, regexp.MustCompile(looks), as} }
	return []shape{
		as(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|$)`, hidden, "private key"),
		as(`(?m)^\s*[A-Za-z0-9+/]{16,}={1,2}\s*$`, hidden, "="), // the last line of a key
		as(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/@"'<>]*:[^\s/@"'<>]*@`, "${1}"+hidden+"@", "://"),
		as(`(?i)\b(https?://)[^\s/@"'<>]+@`, "${1}"+hidden+"@", "://"),
		as(`(?i)((?:proxy-)?authorization["']?\s*[:=]\s*["']?)(?:[a-z]+\s+)?[^\s"',;<>]+`, "${1}"+hidden, "authorization"),
		as(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}`, "${1} "+hidden, "bearer", "basic"),
		as(`(?i)((?:set-)?cookie["']?\s*:\s*["']?[^\s=;:"']+=)[^\r\n"']+`, "${1}"+hidden, "cookie"),
		as(`(?i)(--?(?:password|passwd|token|secret|api-?key)[ =])\S+`, "${1}"+hidden, named...),
		as(`(?i)(`+naming+`["']?\s*[:=]\s*["'])[^"']+`, "${1}"+hidden, named...),
		as(`(?i)(`+naming+`=)[^\s"',;&<>]+`, "${1}"+hidden, named...),
		as(`(?i)(`+naming+`:\s*)[^\s"',;&<>]{8,}`, "${1}"+hidden, named...),
		as(`(?i)([?&](?:key|sig|signature|auth|code|session)=)[^\s&"'<>#]+`, "${1}"+hidden, "key=", "sig=", "signature=", "auth=", "code=", "session="),
		as(`\b(?:sk-|sk_|rk_|pk_|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|gldt-|xox[abeoprs]-|npm_|pypi-|dop_v1_|hf_|shpat_|whsec_|SG\.|ya29\.|AIza)[A-Za-z0-9_.-]{6,}`, hidden,
			"sk-", "sk_", "rk_", "pk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "xox", "npm_", "pypi-", "dop_v1_", "hf_",
			"shpat_", "whsec_", "sg.", "ya29.", "aiza"),
		as(`\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}\b`, hidden, "akia", "asia", "aroa", "aida"),
		as(`\beyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,2}`, hidden, "eyj"), // a signed web token, whole or cut
		as(`(?:/home|/Users)/[^/\s"'<>:]+`, "~", "/home/", "/users/"),
	}
}

// Text returns the text without what is secret in it.
func (r *Redactor) Text(s string) string {
	if len(s) < 5 { // too short for any of it
		return s
	}
	if r.known != nil {
		s = r.known.Replace(s)
	}
	if r.home != nil {
		s = r.home.ReplaceAllString(s, "~$1")
	}
	small := strings.ToLower(s)
	for _, shape := range r.shapes {
		if slices.ContainsFunc(shape.hints, func(hint string) bool { return strings.Contains(small, hint) }) {
			s = shape.looks.ReplaceAllString(s, shape.as)
		}
	}
	if len(s) < keyLineLength {
		return s
	}
	return r.keyLine.ReplaceAllStringFunc(s, func(run string) string {
		if strings.ContainsAny(run, "0123456789") && strings.ContainsFunc(run, unicode.IsUpper) && strings.ContainsFunc(run, unicode.IsLower) {
			return hidden
		}
		return run // a hash, a path
	})
}

// keyLineLength is from where on a run of letters and digits may be a line of a
// key that stands alone, as logs have it.
const keyLineLength = 56
