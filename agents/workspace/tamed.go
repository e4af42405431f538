package workspace

import (
	"context"
	"fmt"
	"strings"
)

// textMerge is git's own merge of three files. A merge driver cannot be taken
// out of the configuration, only replaced; git runs this line, which is
// ours, through sh.
const textMerge = "git merge-file --diff3 --marker-size=%L %A %O %B"

// dangerous are settings that name programs, by git's regular expression.
const dangerous = `filter\..*|merge\..*\.driver|core\.sshcommand|credential\.(.*\.)?helper|remote\..*\.vcs`

// tamed returns an environment in which the programs that the repository itself
// configures are off, and in which commits have the user's name, or ours where
// git knows none. Those of the user stay.
func (g Git) tamed(ctx context.Context, dir string, env []string) ([]string, error) {
	out, _, err := g.ask(ctx, question{dir: dir, limit: 4 << 20, env: env, args: []string{
		"config", "--show-scope", "--null", "--get-regexp", `^(` + dangerous + `|user\.(name|email))$`}})
	if err != nil && !exitedWith(err, 1) { // 1: none of them is set
		return nil, err
	}
	// The first ones are for a git that others start in this environment.
	settings := [][2]string{{"core.fsmonitor", "false"}, {"core.hooksPath", "/dev/null"}, {"core.pager", "cat"}}
	ours := len(settings)
	name, email := "", ""
	var users [][2]string
	fields := strings.Split(string(out), "\x00") // scope, key LF value, scope, …
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		switch {
		case key == "user.name":
			name = value
		case key == "user.email":
			email = value
		case fields[i] == "local" || fields[i] == "worktree":
			settings = append(settings, [2]string{key, harmlessValue(key)})
		default:
			users = append(users, [2]string{key, value})
		}
	}
	// The user's come once more, behind: of most settings the last one counts,
	// of helpers all those since an empty one.
	if len(settings) > ours {
		settings = append(settings, users...)
	}
	if strings.Trim(name, ` .,:;<>"\'`) == "" || strings.Trim(email, ` .,:;<>"\'`) == "" {
		name, email = "Questboard", "questboard@localhost"
	}
	return append(configured(settings),
		"GIT_AUTHOR_NAME="+name, "GIT_AUTHOR_EMAIL="+email, "GIT_COMMITTER_NAME="+name, "GIT_COMMITTER_EMAIL="+email), nil
}

// configured hands settings to git by its environment. (-c would not do: a
// filter's name may hold "=".)
func configured(settings [][2]string) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for n, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s[1]))
	}
	return env
}

func harmlessValue(key string) string {
	switch {
	case strings.HasPrefix(key, "merge."):
		return textMerge
	case strings.HasSuffix(key, ".required"):
		return "false"
	case key == "core.sshcommand":
		return "ssh"
	default:
		return ""
	}
}
