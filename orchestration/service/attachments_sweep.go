package service

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"questboard/orchestration"
)

// TidyAttachments removes what an earlier server left: the content for quests that never
// began, and that of old forms.
func (s Service) TidyAttachments(ctx context.Context) {
	if err := s.Attachments.unfinished(s.hasBegun(ctx)); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "attachments of quests that never began stay; the next start of the server tries again",
			slog.String("error", err.Error()))
	}
	s.sweepAttachments(ctx)
}

// hasBegun returns a function that asks whether there is such a quest.
func (s Service) hasBegun(ctx context.Context) func(quest string) (bool, error) {
	return func(quest string) (bool, error) {
		_, err := s.Quests.Quest(ctx, quest)
		if orchestration.CodeOf(err) == orchestration.CodeNotFound {
			return false, nil
		}
		return err == nil, err
	}
}

// sweepAttachments removes the content of forms that nobody sent again, and of drafts that
// are gone.
func (s Service) sweepAttachments(ctx context.Context) {
	now := s.Clock()
	err := s.Drafts.DropOldDrafts(ctx, now)
	drafts, fault := s.Drafts.KeptDrafts(ctx)
	err = errors.Join(err, fault)
	wanted := map[string]bool{}
	for _, d := range drafts {
		for _, at := range d.Quest.Attachments {
			wanted[at.SHA256] = true
		}
	}
	if err == nil {
		err = s.Attachments.sweep(now, wanted)
	}
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "files of old forms stay; they are removed later", slog.String("error", err.Error()))
	}
}

// KeepUploads keeps what comes with a form, and what it had before (see Attachments.Keep).
func (s Service) KeepUploads(ctx context.Context, kept []orchestration.Attachment,
	uploads []Upload) (all []orchestration.Attachment, refused []string, err error) {
	if len(uploads) == 0 {
		return kept, nil, nil
	}
	if s.Attachments.sweepDue(s.Clock()) {
		s.sweepAttachments(ctx)
	}
	return s.Attachments.Keep(kept, uploads)
}

// unfinished settles the beginnings that were cut short. begun asks whether there is such a
// quest.
func (a *Attachments) unfinished(begun func(quest string) (bool, error)) error {
	a.beginning.Lock() // the marks of beginnings in progress must not be seen
	defer a.beginning.Unlock()
	marks, err := a.folder(beginFolder)
	if err != nil {
		return err
	}
	defer marks.Close()
	list, err := fs.ReadDir(marks.FS(), ".")
	for _, mark := range list {
		there, fault := begun(mark.Name())
		if fault == nil && !there {
			fault = a.Remove(mark.Name())
		}
		if fault == nil {
			fault = marks.Remove(mark.Name())
		}
		err = errors.Join(err, fault)
	}
	return err
}

// sweepDue reports whether it is time to look for old content, and counts that as done.
func (a *Attachments) sweepDue(now time.Time) bool {
	a.sweeping.Lock()
	defer a.sweeping.Unlock()
	if since := now.Sub(a.swept); since >= 0 && since < sweepPause { // a clock may be set back
		return false
	}
	a.swept = now
	return true
}

// sweep removes content that no draft wants and no form has asked for lately.
func (a *Attachments) sweep(now time.Time, drafts map[string]bool) error {
	root, err := os.OpenRoot(a.pathOf(newFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	list, err := fs.ReadDir(root.FS(), ".")
	for _, e := range list {
		info, fault := e.Info()
		if fault == nil && !drafts[e.Name()] && now.Sub(info.ModTime()) > attachmentsLast {
			fault = root.RemoveAll(e.Name())
		}
		if !errors.Is(fault, fs.ErrNotExist) {
			err = errors.Join(err, fault)
		}
	}
	return err
}
