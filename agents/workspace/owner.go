package workspace

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// foreign names the part of a repository that belongs to another user of this
// machine, as git does: who may write there decides what git does here. A
// folder that everybody may write to, as /tmp, may hold such a one above ours.
func (g Git) foreign(f found) string {
	mine := []int{os.Geteuid()}
	if mine[0] == 0 {
		if sudo, err := strconv.Atoi(g.Variable("SUDO_UID")); err == nil {
			mine = append(mine, sudo)
		}
	}
	for _, name := range []string{f.top, filepath.Join(f.top, ".git"), f.gitdir, f.common} {
		info, err := os.Lstat(name)
		if err != nil {
			continue // what is not there is said where it is needed
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		if ok && int(owner.Uid) != mine[0] && int(owner.Uid) != mine[len(mine)-1] {
			return name
		}
	}
	return ""
}

// declaredSafe reports whether the user's own configuration says that a
// repository of somebody else may be used. An empty value takes back what was said.
func declaredSafe(users []setting, top string) bool {
	safe := false
	for _, s := range users {
		if s.key != "safe.directory" {
			continue
		}
		within, isWithin := strings.CutSuffix(s.value, "/*")
		switch {
		case s.value == "":
			safe = false
		case s.value == "*", s.value == top, isWithin && strings.HasPrefix(top, within+"/"):
			safe = true
		}
	}
	return safe
}
