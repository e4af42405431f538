package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// words splits a text into arguments: at spaces, unless single or double
// quotes keep them together. Nothing else is special, for no shell is involved.
func words(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quotation mark is not closed")
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// names splits a list of environment variables.
func names(text string) ([]string, error) {
	list := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range list {
		if !variable.MatchString(name) {
			return nil, fmt.Errorf("%q is no name of an environment variable", name)
		}
	}
	return list, nil
}
