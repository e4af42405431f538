package confine_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/confine"
)

// secrets puts a canary into places that an agent must not read.
func (p *place) secrets() {
	p.mkdir(p.home + "/other/.git")
	for _, name := range []string{"/.ssh/id_rsa", "/.netrc", "/other/.git/config", "/.local/share/questboard/questboard.db"} {
		p.write(p.home+name, "CANARY")
	}
}

// An agent works in a part of a repository and makes a link called .git there. The target
// is not mounted, because the mounts were decided before the agent ran.
func TestALinkCalledGitMountsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ leads, read string }{
		"link_ssh":   {"/.ssh", "/id_rsa"},
		"link_other": {"/other", "/.git/config"},
		"ward_home":  {"", "/.netrc"},
		"ward_data":  {"/.local/share/questboard", "/questboard.db"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.secrets()
			sub := p.repo + "/sub"
			p.mkdir(sub)
			spec := agents.Spec{RunID: "q1-r1", QuestID: "q1", Dir: sub, Repo: sub}
			if said, err := p.run(spec, "mkdir -p ~"+c.leads+"; ln -s ../../.."+c.leads+" .git; echo made", confine.Needs{}); said != "made\n" || err != nil {
				t.Fatal(said, err)
			}
			said, err := p.run(spec, "cat .git"+c.read, confine.Needs{})
			if strings.Contains(said, "CANARY") {
				t.Error("it was read")
			}
			refused(t, err, sub+"/.git")
			if left, err := os.Readlink(sub + "/.git"); err != nil || left != "../../.."+c.leads {
				t.Errorf("what the agent made is for the user to look at: %v", err)
			}
		})
	}
}

// A hostile repository borrows objects from one of its own folders, and that folder is a
// link to the user's keys.
func TestALinkCalledObjectsMountsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.secrets()
	p.mkdir(p.repo + "/.git/objects/info")
	if err := os.Symlink(p.home+"/.ssh", p.repo+"/objects"); err != nil {
		t.Fatal(err)
	}
	p.write(p.repo+"/.git/objects/info/alternates", "../../objects\n")
	said := p.inside("cat ~/.ssh/id_rsa "+p.repo+"/objects/id_rsa 2>/dev/null; find "+p.repo, confine.Needs{})
	if strings.Contains(said, "CANARY") || strings.Contains(said, "/objects") {
		t.Errorf("it was read: %s", said)
	}
}

// A path in PATH or -sandbox-read may be in a folder that an agent can change. The agent
// replaces it with a link.
func TestALinkInThePlaceOfAToolFolderMountsNothing(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"in its folder", "in the folder of another quest"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.secrets()
			p.mkdir(p.repo+"/in/tools", p.repo+"/in/extra")
			p.sandbox.Path += ":" + p.repo + "/in/tools"
			p.sandbox.Read = []string{p.repo + "/in/extra"}
			said, err := p.run(p.spec(p.repo), "mv in out; mkdir in; ln -s ../../../.ssh in/tools; ln -s ../../../.ssh in/extra; echo made", confine.Needs{})
			if said != "made\n" || err != nil {
				t.Fatal(said, err)
			}
			spec := p.spec(p.repo)
			if where != "in its folder" {
				p.mkdir(p.repo + "/.git/sub")
				spec = p.spec(p.data + "/worktrees/q1/s1")
				spec.QuestID = "q2"
			}
			said, err = p.run(spec, "cat "+p.repo+"/in/tools/id_rsa "+p.repo+"/in/extra/id_rsa ~/.ssh/id_rsa; echo ran", confine.Needs{})
			if err != nil || strings.Contains(said, "CANARY") || !strings.HasSuffix(said, "ran\n") {
				t.Errorf("%v: %s", err, said)
			}
		})
	}
}

// The settings name a link of the user's, but a commit may have changed where it leads.
func TestALinkOfTheCheckoutDoesNotLeadIntoGitNorOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.secrets()
	p.mkdir(p.repo+"/vendor/part/.git", p.repo+"/kept")
	for _, name := range []string{"/.git/config", "/vendor/part/.git/config"} {
		p.write(p.repo+name, "CANARY")
	}
	p.write(p.repo+"/kept/file", "seen")
	for name, to := range map[string]string{"link": ".git", "file": ".git/config", "part": "vendor/part/.git", "out": "../../.ssh"} {
		if err := os.Symlink(to, p.repo+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	p.sandbox.Links = func(context.Context, string) ([]string, error) {
		return []string{"link", "file", "part", "out", ".git", ".git/config", "vendor/part/.git", "kept/../.git", "kept"}, nil
	}
	said := p.inside("cd "+p.repo+"; cat kept/file; cat file; cat link/config part/config out/id_rsa .git/config vendor/part/.git/config", confine.Needs{})
	if strings.Contains(said, "CANARY") || !strings.HasPrefix(said, "seen") {
		t.Errorf("inside: %s", said)
	}
}

// A quest on a subfolder works in that subfolder of its tree. An agent can replace it.
func TestALinkInThePlaceOfTheSubfolderMountsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.secrets()
	sub := p.data + "/worktrees/q1/s1/sub"
	if err := os.Symlink(p.home+"/.ssh", sub); err != nil {
		t.Fatal(err)
	}
	said, err := p.run(p.spec(sub), "cat id_rsa", confine.Needs{})
	if strings.Contains(said, "CANARY") {
		t.Error("it was read")
	}
	refused(t, err, sub)
}
