package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// repositoryFileJSON is the repository's own file as a commit has it, in full, so that
// the user can read what the hash stands for.
type repositoryFileJSON struct {
	Repo   string         `json:"repo"`
	Base   string         `json:"base"`  // empty: what is checked out
	State  string         `json:"state"` // none, counts, untrusted, changed, faulty
	Hash   string         `json:"hash"`  // of all files; empty: there is none
	Files  []fileTextJSON `json:"files"`
	Faults []string       `json:"faults"`
}

type fileTextJSON struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func (h handlers) getRepositoryFile(c echo.Context) error {
	ctx := c.Request().Context()
	var wrong checks
	repo, base := wrong.directory("repo", c.QueryParam("repo")), wrong.line("base", c.QueryParam("base"), 1000)
	if err := wrong.err(); err != nil {
		return err
	}
	file, err := h.Repos.RepoFile(ctx, repo, base)
	switch err := wrong.take(err); {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		wrong.add("repo", "its own file cannot be read: %s", service.OneLine(err.Error()))
	}
	if err := wrong.err(); err != nil {
		return err
	}
	s, err := h.Settings.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	out := repositoryFileJSON{Repo: repo, Base: base, State: fileState(service.StateOf(file, repo, s)), Files: []fileTextJSON{},
		Faults: list(file.Config.Faults)}
	for _, want := range file.Config.List {
		out.Files = append(out.Files, fileTextJSON{want.File, want.Text})
	}
	if !file.Config.Nothing() {
		out.Hash = file.Config.Hash
	}
	return c.JSON(http.StatusOK, out)
}

// fileState is the state of a repository's own file, which always has a name here.
func fileState(s service.RepoFileState) string { return cmp.Or(string(s), "none") }

// trustedFileJSON is one content of a repository's own file that the user trusts.
type trustedFileJSON struct {
	Repo string `json:"repo"`
	Hash string `json:"hash"`
}

// trustedFileEdit also says where a new content stands.
type trustedFileEdit struct {
	Repo string `json:"repo"`
	Hash string `json:"hash"`
	Base string `json:"base"` // empty: what is checked out
}

func presentTrustedFiles(s record.Settings) []trustedFileJSON {
	out := []trustedFileJSON{}
	for _, t := range s.Trust {
		for _, seen := range t.Seen {
			if seen.Own {
				out = append(out, trustedFileJSON{t.Path, seen.Hash})
			}
		}
	}
	return out
}

// trustedFiles are the contents that the user lists, and which of them are new.
type trustedFiles struct {
	listed map[trustedFileJSON]bool
	fresh  []freshFile
}

type freshFile struct {
	repo   string
	config record.RepoConfig
}

// readTrustedFiles checks that each listed content is one that the user trusts, or the one
// that is there now: the hash says what the user has read. It reads the disk, so it runs
// before the settings change.
func (h handlers) readTrustedFiles(ctx context.Context, in *[]trustedFileEdit, now record.Settings, wrong *checks) trustedFiles {
	all := trustedFiles{listed: map[trustedFileJSON]bool{}}
	if in == nil {
		return all
	}
	known, count := presentTrustedFiles(now), map[string]int{}
	for i, f := range *in {
		at := fmt.Sprintf("trustedFiles.%d.", i)
		repo, base := wrong.directory(at+"repo", f.Repo), wrong.line(at+"base", f.Base, 1000)
		one := trustedFileJSON{repo, f.Hash}
		if wrong.fields[at+"repo"] != "" || wrong.fields[at+"base"] != "" || all.listed[one] {
			continue
		}
		if count[repo]++; count[repo] > record.MaxSeen {
			wrong.add(at+"repo", "%s has more than %d trusted contents: leave out those that no quest starts from any more", repo, record.MaxSeen)
		}
		all.listed[one] = true
		if slices.Contains(known, one) {
			continue
		}
		file, err := h.Repos.RepoFile(ctx, repo, base)
		switch unread := wrong.takeAt(at, err); {
		case unread != nil:
			wrong.add(at+"repo", "its own file cannot be read, so it cannot be trusted: %s", service.OneLine(unread.Error()))
		case err != nil: // the base is refused
		case file.Config.Nothing():
			wrong.add(at+"repo", "%s has no file of its own there", repo)
		case len(file.Config.Faults) > 0:
			wrong.add(at+"repo", "%s", file.Config.Faults[0])
		case file.Config.Hash != f.Hash:
			wrong.add(at+"hash", "this is not the content that is there now: read it with GET /repository-file, and send its hash")
		default:
			all.fresh = append(all.fresh, freshFile{repo, file.Config})
		}
	}
	return all
}

// trustFiles makes exactly the listed contents trusted.
func trustFiles(s *record.Settings, all trustedFiles, at time.Time) {
	s.KeepTrust(true, func(repo, hash string) bool { return all.listed[trustedFileJSON{repo, hash}] })
	for _, f := range all.fresh {
		s.AddTrust(f.repo, f.config, at)
	}
}
