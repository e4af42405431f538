// Package redact removes from texts what only the owner may read: secrets, and the
// owner's home directory. It knows how to recognise them. Package handlers decides which
// texts are redacted.
//
// It recognises some secrets by their value (from this server's environment and from
// files in the quest's repository), some by the name before them (names.go, values.go and
// judge.go), some by their form (shapes.go, prefixes.go), and logins in addresses
// (address.go). In doubt it hides. It does not find secrets in prose, such as "the
// password is X".
package redact

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// Redactor removes secrets from texts. It is safe for concurrent use, and stores no text.
type Redactor struct {
	home    string
	secrets []string
	known   *strings.Replacer // may be nil
	homes   *regexp.Regexp    // may be nil
	rules   []shape
	hints   *hints
	files   *files
	blind   bool // it does not know what is secret
}

// ErrBlind: the repository does not answer, so nobody knows what is secret in it. Texts are hidden
// whole then, and no page can be shown.
var ErrBlind = errors.New("the repository does not answer, and what is secret in it is not known")

// Hidden replaces what was removed.
const Hidden = "[redacted]"

// shortestSecret is the least length of a known value to search for. Shorter ones occur
// in words by chance.
const shortestSecret = 8

// The hints of everything but shapes. The lower bits are the hints of the shapes.
const (
	hintKnown = 1 << (63 - iota)
	hintHome
	hintName
	hintAddress
	hintBegun
	hintEscaped
	hintCode
)

// table has all shapes, in the order in which they are searched for.
var table = slices.Concat(shapes, begun)

// New returns a redactor that knows the owner's home and this server's secrets. Both may
// be empty.
func New(home string, secrets []string) *Redactor {
	r := &Redactor{home: strings.TrimRight(home, "/"), files: newFiles(&looks{last: map[string]*looked{}})}
	return r.with(secrets)
}

// Also returns a redactor that knows these secrets of the settings, too. It remembers the last
// one, because they seldom change.
func (r *Redactor) Also(secrets []string) *Redactor {
	if len(secrets) == 0 {
		return r
	}
	r.files.mu.Lock()
	defer r.files.mu.Unlock()
	if r.files.also == nil || !slices.Equal(r.files.alsoOf, secrets) {
		wider := &Redactor{home: r.home, secrets: r.secrets, files: newFiles(r.files.looks)}
		r.files.also, r.files.alsoOf = wider.with(secrets), slices.Clone(secrets)
	}
	return r.files.also
}

// with returns a redactor that knows these secrets too.
func (r *Redactor) with(secrets []string) *Redactor {
	n := &Redactor{home: r.home, files: r.files, secrets: slices.Concat(r.secrets, secrets), rules: table}
	all := slices.Concat(wordsAs(hintName, secretWords, maybeWords), []hint{{"://", hintAddress}, {`\n`, hintEscaped}, {`\r`, hintEscaped},
		{`\t`, hintEscaped},
		{`\u00`, hintCode}, {`\x1b`, hintCode}, {`\033`, hintCode}, {`\e[`, hintCode}, {`\e]`, hintCode}})
	for _, begin := range sureBeginnings {
		all = append(all, hint{small(begin), hintBegun})
	}
	for i, rule := range table {
		all = append(all, wordsAs(1<<i, rule.hints)...)
	}
	n.known, all = knows(n.secrets, all)
	if len(n.home) > 1 {
		folder := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(n.home, "-") // how Claude Code names its folder for a project
		n.homes = regexp.MustCompile(`(?:` + regexp.QuoteMeta(n.home) + `|` + regexp.QuoteMeta(folder) + `)(\W|$)`)
		all = append(all, hint{small(n.home), hintHome}, hint{small(folder), hintHome})
	}
	n.hints = newHints(all)
	return n
}

// knows returns a replacer of known values, both raw and escaped as in JSON, and adds
// their beginnings to the hints.
func knows(secrets []string, all []hint) (*strings.Replacer, []hint) {
	// The longest come first, because one may contain another.
	secrets = slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, value := range slices.Compact(secrets) {
		if len(value) < shortestSecret {
			continue
		}
		all = append(all, hint{small(value[:shortestSecret]), hintKnown})
		pairs = append(pairs, value, Hidden)
		if inJSON := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value); inJSON != value {
			all = append(all, hint{small(inJSON[:shortestSecret]), hintKnown})
			pairs = append(pairs, inJSON, Hidden)
		}
	}
	if len(pairs) == 0 {
		return nil, all
	}
	return strings.NewReplacer(pairs...), all
}

// Text returns the text without secrets and without terminal control sequences. It also
// examines what the text means as Markdown or HTML; if that reveals a secret, it returns
// that form, redacted.
func (r *Redactor) Text(s string) string {
	if r.blind && strings.TrimSpace(s) != "" {
		return Hidden
	}
	if len(s) < 5 { // too short for a secret
		return s
	}
	return r.hideIn(unlinked, r.hideIn(undisguised, r.hide(s)))
}

// hideIn reads the text in another way. If that reveals a secret, it returns that form,
// redacted. Otherwise it returns s.
func (r *Redactor) hideIn(way func(string) string, s string) string {
	plain := way(s)
	if plain == s {
		return s
	}
	if hidden := r.hide(plain); hidden != plain {
		return hidden
	}
	return s
}

// hide redacts a text as it is written.
func (r *Redactor) hide(s string) string {
	s = Plain(s)
	seen := r.hints.in(s)
	if seen&hintCode != 0 {
		s = plainer.Replace(writtenCodes.ReplaceAllString(s, ""))
		seen = r.hints.in(s)
	}
	if seen&hintKnown != 0 {
		s = r.known.Replace(s)
	}
	escaped := seen&hintEscaped != 0
	if escaped {
		s = parted.Replace(s)
	}
	if seen&hintHome != 0 {
		s = r.homes.ReplaceAllString(s, "~$1")
	}
	if seen&hintAddress != 0 {
		s = hideInAddresses(s)
	}
	if seen&hintBegun != 0 {
		s = hideBegun(s)
	}
	for i := range r.rules {
		if seen&(1<<i) != 0 {
			s = r.rules[i].hide(s)
		}
	}
	if seen&hintName != 0 {
		s = hideNamed(s)
	}
	if s = hideKeyLines(s); escaped {
		s = joined.Replace(s)
	}
	return s
}

// After is Text for a line that follows other lines, which may end with the name of its
// value.
func (r *Redactor) After(before, line string) string {
	const namesOrFile = hintName | hintCode
	if before == "" || r.blind || (r.hints.in(before)|r.hints.in(line))&namesOrFile == 0 {
		return r.Text(line)
	}
	first, both := r.Text(before)+"\n", r.Text(before+"\n"+line)
	if rest, ok := strings.CutPrefix(both, first); ok {
		return r.Text(rest)
	}
	return r.Text(both[strings.LastIndexByte(both, '\n')+1:]) // a value that spans both lines was hidden
}

// Value is Text for a value that is shown apart from its name.
func (r *Redactor) Value(name, value string) string {
	v := found{end: len(value), name: name, weight: weigh(name, ""), between: ":", quoted: true}
	if !r.blind && v.weight != nothing && secret(value, v) {
		return Hidden
	}
	return r.Text(value)
}

// The patterns would take an escaped line end, as in JSON, for letters. While they
// search, it is a form feed, which texts do not use otherwise.
var (
	parted = strings.NewReplacer(`\n`, "\f", `\r`, "\r\f", `\t`, "\t\f")
	joined = strings.NewReplacer("\r\f", `\r`, "\t\f", `\t`, "\f", `\n`)
)

// keyLineLength is the length from which a run of letters and digits may be a line of a
// private key. Logs show such lines without their header.
const keyLineLength = 56

// hideKeyLines hides long runs of capitals, small letters and digits. Hashes and most
// paths do not mix them.
func hideKeyLines(s string) string {
	if len(s) < keyLineLength {
		return s
	}
	var out strings.Builder
	written := 0
	for at := 0; at < len(s); {
		start, upper, lower, digit := at, false, false, false
		for ; at < len(s); at++ {
			c := s[at]
			if isUpper(c) {
				upper = true
			} else if isLower(c) {
				lower = true
			} else if isDigit(c) {
				digit = true
			} else if c != '+' && c != '/' {
				break
			}
		}
		if at-start >= keyLineLength && upper && lower && digit {
			out.WriteString(s[written:start])
			out.WriteString(Hidden)
			at = skip(s, at, "=", 2)
			written = at
		}
		at++
	}
	if written == 0 {
		return s
	}
	out.WriteString(s[written:])
	return out.String()
}
