package redact_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"questboard/handlers/redact"
)

// hostile are texts that would make a careless algorithm read the same characters again
// and again.
var hostile = []string{
	"token=", "token: ", `token="`, "token='", `token=\"`, "token=“", "password=$(", "key=$(token=$(", "password ", "password\t", "password (", "a.token.", "passwordpassword",
	"login password ", "machine password ", "token\\", "token&quot;", "token=\\n", "<token ", "<token>", "<td>token</td>", "token</b>", "token|", "| token | ",
	"://", "http://a:b@", "postgres://u:a@", "a:1234:b:c:", "u:x@h:1", "=====", "Bearer ", "Authorization: ", "curl -u ", "curl x", "mysql -p", "docker login -p ", "sk-", "ghp_",
	"eyJ", "eyJaaaaaaa.", "AKIA", "-----BEGIN PRIVATE KEY-----", "\x1b[", "\x1b]", "\\n", "aB3", "Aa1/", "1:A", "name: token, value", "$2a$", "M", "-home-", "12345678-1234-", "a@tcp(", "u:a@tcp(",
	"identified by ", "token:\n", "token: |\n", "    ", "token\n", "token:=\"a\"", "passw\\\"", "pass: ", "'token'", "`token`", "**token:** ", "x.",
	"&#119;", "&amp;#119;", "api\\_key: ", "pass**word**: ", "[token](x)", "](", "[a](", "\x1bP", "␛]8;;x", "\u009dx", "⟨U+200B⟩", "pass\u200bword: ", `<div class="md">token`, `<div class="md"><td>token</td>`,
}

// A text that is sixteen times as long takes about sixteen times as long. The bound
// leaves room for a busy machine, and still finds quadratic time.
func TestHostileTextsTakeTimeInProportion(t *testing.T) {
	t.Parallel()
	r := redact.New("/home/hero", []string{"a-known-SECRET-value"})
	for _, part := range hostile {
		took := func(size int) time.Duration {
			text := strings.Repeat(part, size/len(part)+1)
			began := time.Now()
			r.Text(text)
			return time.Since(began)
		}
		large := took(32 << 10)
		if large < 10*time.Second { // on a busy machine even a tenth of a second can take one
			continue
		}
		if small := took(2 << 10); large > 120*small {
			t.Errorf("%q: 2 kB take %s, 32 kB take %s", part, small, large)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, part := range hostile {
		f.Add(part+part, "CaNaRy9xQz")
	}
	r := redact.New("/home/hero", []string{"a-known-SECRET-value"})
	f.Fuzz(func(t *testing.T, around, value string) {
		got := r.Text(around)
		if utf8.ValidString(around) && !utf8.ValidString(got) {
			t.Errorf("%q became broken: %q", around, got)
		}
		if strings.Contains(got, "a-known-SECRET-value") {
			t.Errorf("%q is shown as %q", around, got)
		}
		if _, err := r.HTML([]byte(around)); err != nil {
			t.Error(err)
		}
	})
}
