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

// tamed returns an environment in which the filters and merge drivers that the
// repository itself configures are off, and in which commits have the user's
// name, or ours where git knows none. Those of the user stay.
func (g Git) tamed(ctx context.Context, dir string, env []string) ([]string, error) {
	out, _, err := g.ask(ctx, question{dir: dir, limit: 4 << 20, env: env, args: []string{
		"config", "--show-scope", "--null", "--get-regexp", `^(filter\..*|merge\..*\.driver|user\.(name|email))$`}})
	if err != nil && !exitedWith(err, 1) { // 1: none of them is set
		return nil, err
	}
	var off []string
	n := 0
	name, email := "", ""
	fields := strings.Split(string(out), "\x00") // scope, key LF value, scope, …
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		switch {
		case key == "user.name":
			name = value
		case key == "user.email":
			email = value
		case fields[i] == "local" || fields[i] == "worktree":
			off = append(off, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, harmlessValue(key)))
			n++
		}
	}
	if strings.Trim(name, ` .,:;<>"\'`) == "" || strings.Trim(email, ` .,:;<>"\'`) == "" {
		name, email = "Questboard", "questboard@localhost"
	}
	return append(off, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n),
		"GIT_AUTHOR_NAME="+name, "GIT_AUTHOR_EMAIL="+email, "GIT_COMMITTER_NAME="+name, "GIT_COMMITTER_EMAIL="+email), nil
}

func harmlessValue(key string) string {
	switch {
	case strings.HasPrefix(key, "merge."):
		return textMerge
	case strings.HasSuffix(key, ".required"):
		return "false"
	default:
		return ""
	}
}
