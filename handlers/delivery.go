package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/paths"
)

// Delivery shows a quest's result.
func (p *Pages) Delivery(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.delivery(c, http.StatusOK, q, func(*views.Delivery) {})
}

// delivery renders the page; change adds the result of a form.
func (p *Pages) delivery(c echo.Context, status int, q *orchestration.Quest, change func(*views.Delivery)) error {
	ctx := c.Request().Context()
	commits, err := p.merged(ctx, q)
	if err != nil {
		return err
	}
	d := p.present(q).Delivery(commits)
	d.Frame = p.questFrame(nil, q, "Result · "+q.Title, views.TabResult)
	if d.Merge != nil {
		if d.Merge.Checkout, err = p.checkout(ctx, q); err != nil {
			return err
		}
	}
	if kept, err := p.Trees.Kept(ctx, q); err == nil { // on an error its own page says why
		d.Kept = len(kept)
	}
	change(&d)
	return render(c, status, views.DeliveryPage(d))
}

// mergesRead is how many merges of a quest are looked at, the newest first.
const mergesRead = 1000

// merged returns the commit on the quest's branch of each step that was merged. Of a step
// that was merged more than once it is the newest.
func (p *Pages) merged(ctx context.Context, q *orchestration.Quest) (map[string]string, error) {
	commits := map[string]string{}
	merges, err := p.merges(ctx, q)
	for _, e := range merges {
		if commits[e.Step] == "" {
			commits[e.Step] = e.Data["commit"]
		}
	}
	return commits, err
}

// merges returns what was merged into the quest's branch, the newest first.
func (p *Pages) merges(ctx context.Context, q *orchestration.Quest) ([]orchestration.Event, error) {
	if q.Damaged() || q.Workspace != orchestration.WorkspaceWorktree {
		return nil, nil
	}
	events, err := p.Quests.Events(ctx, q.ID, orchestration.EventFilter{Types: []orchestration.EventType{orchestration.EventMerged},
		Newest: true, N: mergesRead})
	if err != nil {
		return nil, fmt.Errorf("read the merges of %s: %w", q.ID, err)
	}
	return events, nil
}

// Deliver merges a complete quest's work into its base branch.
func (p *Pages) Deliver(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	how, message := c.FormValue("how"), strings.TrimSpace(typed(c.FormValue("message")))
	again := func(status int, why string) error {
		return p.delivery(c, status, q, func(d *views.Delivery) {
			if d.Merge == nil {
				d.Words = why
				return
			}
			d.Merge.How, d.Merge.Message.Value, d.Merge.Error = how, message, why
		})
	}
	if !slices.Contains([]string{"merge", "squash", "fast-forward"}, how) {
		return again(http.StatusUnprocessableEntity, "Choose how to merge the work.")
	}
	fresh, err := p.Trees.Deliver(c.Request().Context(), q, user, how, message)
	if err == nil && (q.Delivered != nil || fresh.Delivered.How != how) { // with an error there may be no quest
		d := fresh.Delivered
		err = &orchestration.Error{Code: orchestration.CodeConflict, Message: "the work was merged into " + views.Visible(d.Branch) +
			" already (" + views.Visible(d.How) + ")"}
	}
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		if fresh != nil {
			q = fresh
		}
		if q.May(orchestration.QuestDelivered{}) != nil || q.Delivered != nil { // the page has no form for what was typed
			return p.withLately(c.Request().Context(), q, "", err)
		}
		return again(http.StatusConflict, present.Sentence(err.Error())+".")
	}
	if err != nil {
		return err
	}
	return see(c, paths.Delivery(q.ID))
}

// LeaveWork records that a complete quest's work needs no delivery now.
func (p *Pages) LeaveWork(c echo.Context) error {
	q, err := p.Quests.Submit(c.Request().Context(), c.Param("quest"), user, orchestration.WorkLeft{})
	if err != nil {
		return err
	}
	return see(c, paths.Delivery(q.ID))
}

// PushQuest pushes a complete quest's branch. The result is shown once and not stored.
func (p *Pages) PushQuest(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	done, err := p.Trees.Push(c.Request().Context(), q)
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		return p.delivery(c, http.StatusConflict, q, func(d *views.Delivery) {
			if d.Push == nil {
				d.Words = present.Sentence(err.Error()) + "."
				return
			}
			d.Push.Error = present.Sentence(err.Error()) + "."
		})
	}
	if err != nil {
		return err
	}
	return p.delivery(c, http.StatusOK, q, func(d *views.Delivery) {
		if d.Push != nil {
			pushed(d.Push, done)
		}
	})
}

func pushed(push *views.Push, done record.Pushed) {
	push.Done, push.Command = true, views.Visible(done.Command) // what is copied must be what is shown
	if strings.HasPrefix(done.PullRequest, "https://") || strings.HasPrefix(done.PullRequest, "http://") {
		push.PullURL = views.Visible(done.PullRequest)
	}
	push.Words = "The branch " + views.Visible(done.Branch) + " was pushed to " + views.Visible(done.Remote) + "."
	switch {
	case done.PullRequest != "":
		push.Words += " Its pull request:"
	case done.Command != "":
		push.Remedied = "No pull request was opened (" + views.Visible(done.Note) + "). To open one yourself:"
	default:
		push.Words += " " + present.Sentence(done.Note) + "."
	}
}

// QuestPatch answers with the quest's change as a file.
func (p *Pages) QuestPatch(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	patch, err := p.Trees.Patch(c.Request().Context(), q)
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentDisposition, `attachment; filename="quest-`+q.ID+`.patch"`)
	header.Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, "text/x-diff", patch)
}

// checkout says what a merge does to the user's own files.
func (p *Pages) checkout(ctx context.Context, q *orchestration.Quest) (string, error) {
	_, base := q.Branches()
	base, repo := views.Visible(base), views.Visible(q.Repo)
	seen, err := p.Repos.Look(ctx, q.Repo)
	switch {
	case err != nil:
		return "", err
	case seen.Fault != "":
		return views.Visible(seen.Fault), nil
	case seen.Branch != base:
		return base + " is not checked out in " + repo + ", so no file there is touched.", nil
	case seen.Changed > 0:
		return "A merge changes the files in " + repo + ", because " + base + " is checked out there. " + views.Count(seen.Changed, "file has",
			"files have") +
			" uncommitted changes there: commit or stash the changes in tracked files first.", nil
	default:
		return "A merge changes the files in " + repo + ", because " + base + " is checked out there.", nil
	}
}

// changedTime limits the counting of lines, because a person waits for it.
const changedTime = 10 * time.Second

// QuestChanged shows how much a quest changed: for htmx only the figure.
func (p *Pages) QuestChanged(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	changed := views.Changed{Words: p.changed(c.Request().Context(), q)}
	if partial(c) {
		return render(c, http.StatusOK, views.ChangedView(changed))
	}
	return p.delivery(c, http.StatusOK, q, func(d *views.Delivery) {
		if d.Changed != nil {
			d.Changed = &changed
		}
	})
}

func (p *Pages) changed(ctx context.Context, q *orchestration.Quest) string {
	limited, cancel := context.WithTimeout(ctx, changedTime)
	defer cancel()
	extent, err := p.Trees.Extent(limited, q)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "Unknown: counting took too long."
	case err != nil:
		return "Unknown: " + views.Visible(err.Error()) + "."
	}
	return present.ExtentWords(extent) + "."
}

// diskTime limits the measuring, because a person waits for it.
const diskTime = 15 * time.Second

// QuestDisk shows the size of a quest's worktrees: for htmx only the figure.
func (p *Pages) QuestDisk(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	disk, err := p.disk(c.Request().Context(), paths.QuestDisk(q.ID), q)
	if err != nil {
		return err
	}
	if partial(c) {
		return render(c, http.StatusOK, views.DiskView(disk))
	}
	return p.delivery(c, http.StatusOK, q, func(d *views.Delivery) { d.Disk = disk })
}

// SettingsDisk shows the size of all quests' worktrees.
func (p *Pages) SettingsDisk(c echo.Context) error {
	ctx := c.Request().Context()
	quests, err := p.Quests.Quests(ctx)
	if err != nil {
		return err
	}
	disk, err := p.disk(ctx, paths.SettingsDisk, quests...)
	if err != nil {
		return err
	}
	if partial(c) {
		return render(c, http.StatusOK, views.DiskView(disk))
	}
	return p.settings(c, http.StatusOK, func(s *views.Settings) { s.Disk = disk })
}

func (p *Pages) disk(ctx context.Context, url string, quests ...*orchestration.Quest) (views.Disk, error) {
	limited, cancel := context.WithTimeout(ctx, diskTime)
	defer cancel()
	disk := views.Disk{URL: url}
	var total int64
	for _, q := range quests {
		size, err := p.Trees.Disk(limited, q)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			disk.Words = fmt.Sprintf("more than %s; there are too many files to count them all", present.Bytes(total))
			return disk, nil
		}
		if err != nil {
			return disk, err
		}
		total += size
	}
	disk.Words = present.Bytes(total)
	return disk, nil
}

// Kept lists the work of a quest that is not on any branch.
func (p *Pages) Kept(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	return p.kept(c, http.StatusOK, q, func(*views.Kept) {})
}

// RestoreKept makes a new branch from kept work.
func (p *Pages) RestoreKept(c echo.Context) error {
	q, err := p.quest(c)
	if err != nil {
		return err
	}
	ref, branch := c.FormValue("ref"), strings.TrimSpace(c.FormValue("branch"))
	err = p.Trees.Restore(c.Request().Context(), q, ref, branch)
	var refusal *orchestration.Error
	if errors.As(err, &refusal) && refusal.Code == orchestration.CodeInvalid {
		return p.kept(c, http.StatusUnprocessableEntity, q, func(k *views.Kept) { refuseName(k, ref, branch, refusal) })
	}
	if err != nil {
		return err
	}
	return p.kept(c, http.StatusOK, q, func(k *views.Kept) { k.Restored = views.Visible(branch) })
}

func refuseName(k *views.Kept, ref, branch string, refusal *orchestration.Error) {
	why := refusal.Fields["branch"]
	if why == "" {
		why = refusal.Message
	}
	for i := range k.Rows {
		if k.Rows[i].Ref == ref {
			k.Rows[i].Branch = views.Field{Value: branch, Error: present.Sentence(why) + "."}
		}
	}
}

func (p *Pages) kept(c echo.Context, status int, q *orchestration.Quest, change func(*views.Kept)) error {
	ctx := c.Request().Context()
	frame := p.questFrame(nil, q, "Kept work · "+q.Title, views.TabNone, views.Link{Words: "Kept work"})
	k := views.Kept{Frame: frame, ID: q.ID}
	all, err := p.Trees.Kept(ctx, q)
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		k.Error, err = present.Sentence(err.Error())+".", nil
	}
	if err != nil {
		return err
	}
	for i, work := range all {
		k.Rows = append(k.Rows, p.present(q).Kept(i, work))
	}
	change(&k)
	return render(c, status, views.KeptPage(k))
}
