package redact

import (
	"net/url"
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

func secretsOf(name, value string) []string {
	if u, err := url.Parse(value); err == nil && u.User != nil && u.Host != "" {
		if password, set := u.User.Password(); set {
			_, raw, _ := strings.Cut(strings.TrimSuffix(value[:strings.LastIndexByte(value, '@')], "@"), "://")
			_, raw, _ = strings.Cut(raw, ":")
			return []string{password, raw}
		}
	}
	w := weigh(name, "")
	if secretName.MatchString(name) || w == surely || w == many || random(value, w == maybe) && len(value) >= 16 && !strings.ContainsAny(value, "/.") {
		return []string{value}
	}
	return nil
}
