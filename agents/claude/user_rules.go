package claude

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"questboard/agents"
	"questboard/orchestration"
)

// everyCommand is the rule for all of Bash. A role to which it is denied does not see Bash.
const everyCommand = "Bash"

// harmless are commands that change nothing, whatever their arguments are; what git log
// and git diff could write, rightsOf denies. A rule that allows one may stay.
var harmless = []string{"ls", "cat", "head", "tail", "wc", "grep", "git log", "git diff", "git status", "git blame"}

// maxSettings is how much of a settings file is read.
const maxSettings = 1 << 20

// commandsOfUser returns rules to deny to a role that only reads: those by which settings
// that will load allow commands. dontAsk obeys them, and a rule that denies goes before
// (seen in 2.1.163 and 2.1.329).
func (r *Runner) commandsOfUser(spec agents.Spec) []string {
	if spec.Role.Writes() || spec.Role == orchestration.Ward {
		return nil
	}
	files := []string{filepath.Join(r.userFolder(), "settings.json")}
	if spec.Trusted {
		files = append(files, filepath.Join(spec.Dir, ".claude", "settings.json"), filepath.Join(spec.Dir, ".claude", "settings.local.json"))
	}
	var all []string
	for _, file := range files {
		for _, rule := range allowedIn(file) {
			if slices.Contains(spec.Allow, rule) {
				continue // the person chose it for this role
			}
			if rule = deniable(rule); rule != "" && !slices.Contains(all, rule) {
				all = append(all, rule)
			}
		}
	}
	if slices.Contains(all, everyCommand) || len(all) > maxRulesOfTools {
		return []string{everyCommand}
	}
	return all
}

// userFolder returns the folder of the user's own settings.
func (r *Runner) userFolder() string {
	if own := variable(r.cfg.Environ, "CLAUDE_CONFIG_DIR"); own != "" {
		return own
	}
	home := variable(r.cfg.Environ, "HOME")
	if home == "" {
		if of, err := user.Current(); err == nil {
			home = of.HomeDir
		}
	}
	return filepath.Join(home, ".claude")
}

// allowedIn returns the rules that a settings file allows. The CLI may make sense of what
// we cannot read: then every command is denied.
func allowedIn(file string) []string {
	// Somebody may have put a pipe there.
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // a settings file by its fixed name
	if err != nil {
		return nil
	}
	defer f.Close()
	if about, err := f.Stat(); err != nil || !about.Mode().IsRegular() {
		return nil // the CLI reads no pipe either
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err != nil {
		return nil
	}
	if len(data) > maxSettings {
		return []string{everyCommand}
	}
	var settings struct {
		Permissions struct {
			Allow []any `json:"allow"`
		} `json:"permissions"`
		Sandbox struct {
			Enabled   bool  `json:"enabled"`
			AutoAllow *bool `json:"autoAllowBashIfSandboxed"`
		} `json:"sandbox"`
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // the CLI does the same
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if json.Unmarshal(data, &settings) != nil {
		return []string{everyCommand}
	}
	if s := settings.Sandbox; s.Enabled && (s.AutoAllow == nil || *s.AutoAllow) {
		return []string{everyCommand} // in its own sandbox the CLI then runs every command
	}
	var rules []string
	for _, rule := range settings.Permissions.Allow {
		if text, is := rule.(string); is {
			rules = append(rules, text)
		}
	}
	return rules
}

// deniable returns the rule that denies what this one allows; "": it allows no command
// that changes anything. What cannot be written on a command line is denied with all
// commands.
func deniable(rule string) string {
	rule = strings.TrimSpace(rule)
	uses, special := strings.CutPrefix(rule, "Bash(")
	if rule == everyCommand {
		return everyCommand
	}
	if !special {
		return ""
	}
	uses = strings.TrimSuffix(uses, ")")
	named := strings.TrimRight(uses, "*: ")
	switch {
	case named == "", !toolRule.MatchString(rule):
		return everyCommand
	case onlyReads(uses):
		return ""
	default:
		return rule
	}
}

// onlyReads reports whether all that a rule's pattern matches is one harmless command.
func onlyReads(pattern string) bool {
	return !strings.ContainsAny(pattern, ";|&<>$`\\") && slices.ContainsFunc(harmless, func(command string) bool {
		return pattern == command || strings.HasPrefix(pattern, command+" ") || strings.HasPrefix(pattern, command+":")
	})
}
