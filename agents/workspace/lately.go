package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// keptSettings remembers what a repository and its user have configured, as
// long as the files that say so are what they were. What a file of the user's
// includes is looked at again when that file itself changes, or after a start.
var keptSettings = struct {
	sync.Mutex
	of map[string]struct {
		stamp string
		is    settings
	}
}{of: map[string]struct {
	stamp string
	is    settings
}{}}

// lately is settingsOf, from memory where nothing has changed.
func (g Git) lately(ctx context.Context, f found, none string) (settings, error) {
	home, xdg := g.Variable("HOME"), g.Variable("XDG_CONFIG_HOME")
	global, system := g.Variable("GIT_CONFIG_GLOBAL"), g.Variable("GIT_CONFIG_SYSTEM")
	var stamp strings.Builder
	for _, name := range []string{filepath.Join(f.common, "config"), filepath.Join(f.gitdir, "config.worktree"), filepath.Join(home, ".gitconfig"),
		filepath.Join(home, ".config/git/config"), filepath.Join(xdg, "git/config"), "/etc/gitconfig", global, system, filepath.Join(f.gitdir, "HEAD")} {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&stamp, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	key := strings.Join([]string{f.gitdir, home, global, system}, "\x00")
	keptSettings.Lock()
	kept, ok := keptSettings.of[key]
	keptSettings.Unlock()
	if ok && kept.stamp == stamp.String() {
		return kept.is, nil
	}
	s, err := g.settingsOf(ctx, f, none)
	if err != nil {
		return s, err
	}
	keptSettings.Lock()
	defer keptSettings.Unlock()
	kept.stamp, kept.is = stamp.String(), s
	keptSettings.of[key] = kept
	return s, nil
}
