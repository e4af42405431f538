package redact

import (
	"net/url"
	"os"
	"regexp"
	"strings"
)

var secretName = regexp.MustCompile(`(?i)token|secret|passw|api_?key|access_?key|private_?key|credential|(^|_)auth(_|$)`)

// Environment returns the secrets among variables that are given as NAME=value: values
// whose name says so, values that look generated, and passwords in addresses.
func Environment(environ []string) []string {
	var values []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		values = append(values, secretsOf(name, value)...)
	}
	return values
}

// secretsOfLine returns the secrets in a line of a file that exists to hold them: there a
// name such as MAP_KEY is enough.
func secretsOfLine(name, value string) []string {
	if weigh(name, "") == maybe && len(value) >= shortestSecret && !isPath(value) && !number(value) && !strings.Contains(value, "://") {
		return []string{value}
	}
	return secretsOf(name, value)
}

var netrcPassword = regexp.MustCompile(`\bpassword\s+("[^"]+"|\S+)`)

// Netrc returns the passwords in the .netrc of a home folder.
func Netrc(home string) (values []string) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	text, _ := contentOf(root, ".netrc") // without one there is no password
	for _, found := range netrcPassword.FindAllStringSubmatch(text, -1) {
		values = append(values, strings.Trim(found[1], `"`))
	}
	return values
}

func secretsOf(name, value string) []string {
	if u, err := url.Parse(value); err == nil && u.User != nil && u.Host != "" {
		if password, set := u.User.Password(); set {
			_, raw, _ := strings.Cut(strings.TrimSuffix(value[:strings.LastIndexByte(value, '@')], "@"), "://")
			_, raw, _ = strings.Cut(raw, ":")
			return []string{password, raw}
		}
	}
	w := weigh(name, "")
	if secretName.MatchString(name) || w == surely || w == many || random(value, w == maybe) && len(value) >= 16 &&
		!strings.ContainsAny(value, "/.") {
		return []string{value}
	}
	return nil
}
