package workspace

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// Push pushes the quest's branch, as we left it, to the remote in PushCommand. It never
// forces: a remote whose branch has other commits refuses, and the error contains its
// words. It asks nobody for a password. ctx limits the time.
//
// It reaches a remote the way the user does (ssh, credential helpers, proxies), with
// the user's configuration. It reads the repository's configuration only as data, for
// the address. It writes to a remote on this machine without that remote's hooks and
// configuration.
func (t *Trees) Push(ctx context.Context, ref Ref) (branch, remote string, err error) {
	r, err := t.read(ctx, ref)
	if err == nil {
		remote, err = r.push(ctx)
	}
	if err != nil {
		return "", "", ofQuest("push", ref.Quest, err)
	}
	return "quest/" + ref.Quest, remote, nil
}

func (r *repository) push(ctx context.Context) (string, error) {
	tip, err := r.questTip(ctx)
	if err != nil {
		return "", err
	}
	remote, err := r.remote(ctx)
	if err != nil {
		return "", err
	}
	for _, address := range r.addresses(remote) {
		if dir := r.localRemote(address.value); dir != "" {
			err = r.pushHere(ctx, dir, tip)
		} else {
			err = r.pushAway(ctx, remote, address, tip)
		}
		if err != nil {
			return remote, err
		}
	}
	return remote, nil
}

// pushAway pushes to one address that is not on this machine. Git is given only that
// address; otherwise it would push to each, with hooks.
func (r *repository) pushAway(ctx context.Context, remote string, address setting, tip string) error {
	addresses := []setting{{"remote." + remote + ".url", address.value}}
	if address.key != addresses[0].key {
		addresses = append(addresses, address)
	}
	q := git.Command{Dir: r.view, Online: true, Limit: git.MaxOutput, Writing: true, GitDir: r.view, Common: r.view, Env: online(addresses),
		Args: []string{"push", "--no-signed", "--no-follow-tags", "--recurse-submodules=no", "--receive-pack=git-receive-pack", "--", remote,
			tip + ":" + r.questBranch()}}
	_, _, err := r.t.Git.Run(ctx, q)
	return err
}

// online passes remotes to git in its environment, because git would cut arguments with
// "=" in a name. No remote may lead to this machine.
func online(remotes []setting) []string {
	all := append(slices.Clip(remotes), setting{"protocol.file.allow", "never"}, setting{"protocol.ext.allow", "never"})
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(all))}
	for n, s := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.value))
	}
	return env
}

// addresses returns every address that git would push to.
func (r *repository) addresses(remote string) []setting {
	for _, key := range []string{"remote." + remote + ".pushurl", "remote." + remote + ".url"} {
		var all []setting
		for _, s := range r.users.remotes {
			if s.key == key && s.value != "" {
				all = append(all, s)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// configured returns the last value of a key of the repository's remotes.
func (r *repository) configured(key string) string {
	value := ""
	for _, s := range r.users.remotes {
		if s.key == key {
			value = s.value
		}
	}
	return value
}

// localRemote returns the git directory of an address on this machine; "" for other
// addresses. Such a directory may have come with the repository, including hooks.
func (r *repository) localRemote(url string) string {
	path, isFile := strings.CutPrefix(url, "file://")
	if colon, slash := strings.IndexByte(url, ':'), strings.IndexByte(url, '/'); !isFile && colon >= 0 && (slash < 0 || colon < slash) {
		return "" // a scheme, or host:path
	}
	if path == "" {
		return ""
	}
	path = relativeTo(r.users.top, path)
	for _, dir := range []string{path, filepath.Join(path, ".git"), path + ".git"} {
		if real, err := filepath.EvalSymlinks(dir); err == nil && isGitDir(real) {
			return real
		}
	}
	return path // it is missing; the error says so
}

// pushHere pushes to a git directory on this machine, through a view of it.
func (r *repository) pushHere(ctx context.Context, dir, tip string) error {
	if !isGitDir(dir) {
		return fmt.Errorf("the remote %s is not there, or no git repository", dir)
	}
	if err := plainGitDir(dir); err != nil {
		return err
	}
	view, err := os.MkdirTemp(r.home, "remote-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(view)
	there := &users{found: found{top: dir, gitdir: dir, common: dir}, settings: r.users.settings, g: r.t.Git, view: view}
	if err := r.t.Git.makeView(view, dir, settings{format: r.users.format}, there.found); err != nil {
		return err
	}
	theirs, err := there.refsLike(ctx, r.questBranch())
	if err != nil {
		return err
	}
	is := theirs[r.questBranch()]
	if is == tip {
		return nil
	}
	if is != "" {
		if known, err := r.presentObjects(ctx, []string{is}); err != nil {
			return err
		} else if !known[is] {
			return fmt.Errorf("rejected: %s has other commits on quest/%s", dir, r.ref.Quest)
		}
		if held, err := r.contains(ctx, tip, is); err != nil {
			return err
		} else if !held {
			return fmt.Errorf("rejected: %s has other commits on quest/%s", dir, r.ref.Quest)
		}
	}
	if at := there.onBranch(r.questBranch()); at != "" {
		return fmt.Errorf("rejected: quest/%s is checked out in %s", r.ref.Quest, at)
	}
	if err := r.hand(ctx, there, tip); err != nil {
		return err
	}
	return there.move(ctx, r, "push", move{ref: r.questBranch(), from: is, to: tip})
}

// PushCommand returns a command line for the user to copy. It pushes the quest's branch
// to the remote of the base branch, or to the only remote.
func (t *Trees) PushCommand(ctx context.Context, ref Ref) (string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", ofQuest("write the push command for", ref.Quest, err)
	}
	remote, err := r.remote(ctx)
	if err != nil {
		return "", ofQuest("write the push command for", ref.Quest, err)
	}
	return "git -C " + shellQuoted(ref.Repo) + " push -u " + shellQuoted(remote) + " " + shellQuoted("quest/"+ref.Quest), nil
}

// remote chooses where to push to.
func (r *repository) remote(ctx context.Context) (string, error) {
	var remotes []string
	for _, s := range r.users.remotes {
		name, is := strings.CutPrefix(s.key, "remote.")
		// git would take it for an option
		if name, url := strings.CutSuffix(name, ".url"); is && url && s.value != "" && !strings.HasPrefix(name, "-") {
			remotes = append(remotes, name)
		}
	}
	slices.Sort(remotes)
	if len(remotes) == 0 {
		return "", errors.New("the repository has no remote")
	}
	if into, err := r.into(ctx); err == nil {
		name := r.configured("branch." + strings.TrimPrefix(into, "refs/heads/") + ".remote")
		if slices.Contains(remotes, name) {
			return name, nil
		}
	}
	if slices.Contains(remotes, "origin") {
		return "origin", nil
	}
	return remotes[0], nil
}

// PullRequest opens a pull request for the quest's branch, which must be pushed, into
// the base branch, and returns its address. If one is open already, it returns that. It
// needs gh on the PATH of Git.Environ; otherwise the error is ErrNoGh. If the quest did
// not start from a branch, it is ErrNoBranch. ctx limits the time.
func (t *Trees) PullRequest(ctx context.Context, ref Ref, title, body string) (address string, err error) {
	err = ErrNoGh
	if t.Git.HasGh() {
		address, err = t.pullRequest(ctx, ref, title, body)
	}
	if err != nil {
		return "", ofQuest("open a pull request for", ref.Quest, err)
	}
	return address, nil
}

// PullCommand returns a command line for the user to copy. It opens the pull request
// and asks for its text. If the quest did not start from a branch, the error is
// ErrNoBranch.
func (t *Trees) PullCommand(ctx context.Context, ref Ref, title string) (string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", ofQuest("write the pull request command for", ref.Quest, err)
	}
	p, err := r.pull(ctx, title)
	if err != nil {
		return "", ofQuest("write the pull request command for", ref.Quest, err)
	}
	return "cd " + shellQuoted(ref.Repo) + " && gh pr create --head " + shellQuoted(p.head) + " --base " + shellQuoted(p.base) +
		" --title=" + shellQuoted(p.title), nil
}

// pull is what a pull request is about.
type pull struct{ head, base, title string }

func (r *repository) pull(ctx context.Context, title string) (pull, error) {
	into, err := r.into(ctx)
	if err != nil {
		return pull{}, err
	}
	if title = git.PlainLine(title, 250); title == "" {
		title = "Quest " + r.ref.Quest
	}
	return pull{head: "quest/" + r.ref.Quest, base: strings.TrimPrefix(into, "refs/heads/"), title: title}, nil
}

func (t *Trees) pullRequest(ctx context.Context, ref Ref, title, body string) (string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return "", err
	}
	p, err := r.pull(ctx, title)
	if err != nil {
		return "", err
	}
	// gh runs git, which is given our view and the remotes of the repository.
	out, complaint, failed := t.Git.Gh(ctx, r.view, online(r.users.remotes), strings.ToValidUTF8(body, "\uFFFD"),
		"pr", "create", "--head", p.head, "--base", p.base, "--title="+p.title, "--body-file", "-")
	if address := addressIn(out); failed == nil && address != "" {
		return address, nil
	}
	if address := addressIn(complaint); address != "" && strings.Contains(complaint, "already exists") {
		return address, nil
	}
	if failed == nil {
		failed = errors.New("it does not say where the pull request is")
	}
	return "", fmt.Errorf("gh: %s (%w)", git.PlainLines(complaint+"\n"+out), errors.Join(failed, context.Cause(ctx)))
}

// addressIn returns the last web address that has a line of its own.
func addressIn(text string) string {
	address := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if u, err := url.Parse(line); err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http") {
			address = line
		}
	}
	return address
}
