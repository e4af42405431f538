package main_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
)

// Documents use plain words. e2e/e2etest/words.go lists the words that they do not use.
func TestHouseDocumentsUsePlainWords(t *testing.T) {
	t.Parallel()
	read := 0
	for _, name := range sources(t) {
		text, is := readByPeople(name, lines(t, name))
		if !is {
			continue
		}
		read++
		for _, found := range e2etest.Unplain(text) {
			t.Errorf("%s:%s", name, found)
		}
	}
	if read < 10 {
		t.Errorf("only %d documents were found: this test looks for the wrong thing", read)
	}
}

// readByPeople returns what people read of a file, without changing line numbers: a whole
// document, a prompt (users read and change them in the settings), or the help of `make`.
func readByPeople(name string, lines []string) (text string, is bool) {
	switch {
	case slices.Contains([]string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}, name),
		slices.Contains([]string{"docs", "agents/prompts"}, filepath.Dir(name)) && filepath.Ext(name) == ".md":
		return strings.Join(lines, "\n"), true
	case name == "Makefile":
		help := regexp.MustCompile(`#.*|\becho .*`)
		said := make([]string, len(lines))
		for i, line := range lines {
			said[i] = help.FindString(line)
		}
		return strings.Join(said, "\n"), true
	}
	return "", false
}

// A word is found in any case, across the end of a line and with its line number, but not
// within another word.
func TestHouseFindsWordsThatAreNotPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Plain words.":                   "",
		"Shallow, enthused, ashen cells": "",
		"one\nIt SHALL end.":             `2: "shall" (better: should, must or will)`,
		"as so\n  often, made anew":      `1: "so often" (better: that many times); 2: "anew" (better: again)`,
	} {
		if got := strings.Join(e2etest.Unplain(text), "; "); got != want {
			t.Errorf("%q: found %s; want %s", text, got, want)
		}
	}
	if text, _ := readByPeople("Makefile", []string{"dev: ## start it anew", "\tGO=anew go run"}); len(e2etest.Unplain(text)) != 1 {
		t.Errorf("of a Makefile people read %q", text)
	}
}
