package agents

import (
	"errors"
	"fmt"
	"strings"
	"text/template"

	"questboard/orchestration"
)

// RoleText returns the built-in text of a role. A prompt begins with it. Other texts
// explain how the role signals, and the rest of the protocol.
func RoleText(role orchestration.Role) (string, error) {
	text, err := promptFiles.ReadFile("prompts/" + roleFile(role))
	if err != nil {
		return "", fmt.Errorf("read the text of role %s: %w", role, err)
	}
	return string(text), nil
}

const (
	// maxRoleText limits a role's text as written, maxRoleProse as expanded.
	maxRoleText  = 64 << 10
	maxRoleProse = 256 << 10
)

// CheckRoleText returns what is wrong with a user's text for a role. It checks the text
// node by node and expands it for each sample. So a text that passes works for every run
// of the role.
func CheckRoleText(role orchestration.Role, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("it is empty: the role would not know what to do")
	case len(text) > maxRoleText:
		return fmt.Errorf("it has %d KiB; at most %d", len(text)>>10, maxRoleText>>10)
	}
	if _, err := parseRoleText(text); err != nil {
		return err
	}
	for _, s := range Samples(role) {
		if _, _, err := SamplePrompt(role, "", PromptFacts{RoleText: text}, s.Name); err != nil {
			return fmt.Errorf("for the sample %q: %w", s.Words, err)
		}
	}
	return nil
}

// CheckAddedText returns what is wrong with a text that a repository adds to the prompts
// of a role. The rules are those of CheckRoleText, except that nothing may be left of it
// for a run: it may be meant for others.
func CheckAddedText(role orchestration.Role, text string) error {
	if len(text) > maxRoleText {
		return fmt.Errorf("it has %d KiB; at most %d", len(text)>>10, maxRoleText>>10)
	}
	if _, err := parseRoleText(text); err != nil {
		return err
	}
	for _, s := range Samples(role) {
		if _, _, err := SamplePrompt(role, "", PromptFacts{RepoText: text}, s.Name); err != nil {
			return fmt.Errorf("for the sample %q: %w", s.Words, err)
		}
	}
	return nil
}

// usersText expands a user's text.
func usersText(text string, view promptView) (string, error) {
	prose, err := expanded(text, view)
	if err == nil && prose == "" {
		err = errors.New("nothing is left of it")
	}
	return prose, err
}

func expanded(text string, view promptView) (string, error) {
	t, err := parseRoleText(text)
	if err != nil {
		return "", err
	}
	b := bounded{left: maxRoleProse}
	if err := t.Execute(&b, view); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// addedText returns what the repository adds to a role's part of the prompt; "": nothing.
func addedText(r *orchestration.Run, facts PromptFacts, view promptView) (string, error) {
	if facts.RepoText == "" {
		return "", nil
	}
	text, err := expanded(facts.RepoText, view)
	if err != nil {
		return "", fmt.Errorf("write prompt of run %s: the text that the repository adds for %s: %w", r.ID, r.Role.Name(), err)
	}
	if text == "" {
		return "", nil
	}
	return "What this repository adds for you:\n\n" + text, nil
}

func parseRoleText(text string) (*template.Template, error) {
	t, err := template.New("text").Funcs(promptFuncs()).Parse(text)
	if err != nil {
		return nil, errors.New("line " + strings.TrimPrefix(err.Error(), "template: text:"))
	}
	if len(t.Templates()) > 1 || t.Tree == nil {
		return nil, errors.New("it cannot define further texts")
	}
	if wrong := checkNodes(t.Root); wrong != nil {
		return nil, fmt.Errorf("line %d: %w", 1+strings.Count(text[:wrong.at], "\n"), wrong.err)
	}
	return t, nil
}

// bounded is a buffer with a limit.
type bounded struct {
	strings.Builder
	left int
}

var errTooMuchProse = fmt.Errorf("it becomes longer than %d KiB", maxRoleProse>>10)

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooMuchProse
	}
	return b.Builder.Write(p)
}
