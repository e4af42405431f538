package web_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A secret is on no page of a share, neither on the board nor in a tab or in output, in
// whatever form people and programs write it.
func TestNoPageOfAShareShowsAFormOfASecret(t *testing.T) {
	t.Parallel()
	forms, err := os.ReadFile("../handlers/redact/testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	const short, long = "c4N4ry", "CaNaRy9xQz7LmN4pRsT2vW5yB8dF3hJ6kZ1qX"
	d := newDoor(t, nil)
	every := 5 // one in five forms is tried alone in all other texts of a quest
	if os.Getenv("QUESTBOARD_FORMS") == "all" {
		every = 1
	}
	parties, part, count := map[int]*handlerstest.Party{}, "", 0
	for form := range strings.Lines(string(forms)) {
		if heading, is := strings.CutPrefix(form, "## "); is {
			part = heading
		}
		if form = strings.TrimSuffix(form, "\n"); part == "" || form == "" || strings.HasPrefix(form, "## ") {
			continue
		}
		value := long
		if count++; count%2 == 0 && part != "machine\n" {
			value = short
		}
		text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\e`, "\x1b", "§", value).Replace(form)
		n := count / 15 // each line is read together with those before it
		if parties[n] == nil {
			parties[n] = handlerstest.Begin(d.engine, "Forms")
			parties[n].ToPlanGate()
		}
		run := parties[n].Quest + "-r1"
		object, err := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"content": []any{map[string]any{
			"type": "tool_use", "id": "t", "name": "Save", "input": map[string]any{"password": value, "body": text}}}}})
		if err != nil {
			t.Fatal(err)
		}
		d.output.Write(run, said(text), string(object))
		for line := range strings.Lines(text) {
			d.output.Write(run, strings.TrimSuffix(line, "\n"))
		}
		if count%every > 0 {
			continue
		}
		asked := handlerstest.Begin(d.engine, text)
		asked.Start("requirements")
		asked.Signal("requirements", orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: text, Context: "Look:\n\n" + text})
		d.party = asked
		d.shows(t, form, short, long[:12])
	}
	for _, d.party = range parties {
		d.shows(t, "output", short, long[:12])
	}
	if count < 250 {
		t.Errorf("only %d forms were read", count)
	}
}

// shows fails for each page of a share that contains one of the secrets.
func (d *door) shows(t *testing.T, what string, secrets ...string) {
	t.Helper()
	link := d.link(t, "output=true")
	pages := d.everything(t, link)
	if run := d.party.Quest + "-r1"; what == "output" {
		pages["text"] = bodyOf(t, d.request(http.MethodGet, link+"/runs/"+run+"/output.txt", "", nil))
	}
	for at, page := range pages {
		for _, secret := range secrets {
			if i := strings.Index(page, secret); i >= 0 {
				t.Errorf("%s: %s shows …%s…", what, at, page[max(0, i-120):min(len(page), i+40)])
			}
		}
	}
}
