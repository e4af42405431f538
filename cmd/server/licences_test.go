package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// licences are the licences that the binary's libraries may have, with a pattern of their
// text.
var licences = map[string]*regexp.Regexp{
	"MIT":        regexp.MustCompile(`(?i)Permission is hereby granted, free of charge, to any person obtaining`),
	"BSD":        regexp.MustCompile(`(?i)Redistribution and use in source and binary forms, with or without modification`),
	"Apache-2.0": regexp.MustCompile(`(?i)Apache License,? Version 2\.0`),
	"ISC, 0BSD":  regexp.MustCompile(`(?i)Permission to use, copy, modify, and/or distribute this software for any purpose`),
	"MPL-2.0":    regexp.MustCompile(`(?i)Mozilla Public License Version 2\.0`),
}

// licenceOf returns the licence in a folder, or "" if there is none of these.
func licenceOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?i)^(licen[cs]e|copying)([.-]\w+)?$`)
	for _, e := range entries {
		if !named.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for name, words := range licences {
			if words.MatchString(strings.Join(strings.Fields(string(text)), " ")) {
				return name
			}
		}
	}
	return ""
}

// docs/hardening.md#supply-chain, T6.4: the binary contains few modules, all with a free
// licence.
func TestHouseBinaryHoldsFewModulesThatAreFree(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./cmd/server")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	modules = slices.Compact(modules)
	if len(modules) < 10 || len(modules) > 60 {
		t.Errorf("%d modules are in the binary: 60 are the most", len(modules))
	}
	for _, module := range append(modules, "htmx\t"+filepath.Join(root(t), "static", "vendor", "htmx")) {
		name, dir, _ := strings.Cut(module, "\t")
		if licenceOf(t, dir) == "" {
			t.Errorf("%s is under none of the licences that we take", name)
		}
	}
	t.Logf("%d modules", len(modules))
}

func TestHouseTakesNoOtherLicence(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":     "",
		"a fair use":  "You may use this for your own purposes.",
		"the GPL":     "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007",
		"proprietary": "All rights reserved.",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := licenceOf(t, dir); found != "" {
			t.Errorf("%s was taken for %s", name, found)
		}
	}
}
