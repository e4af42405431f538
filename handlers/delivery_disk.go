package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// diskTime bounds the measuring: somebody waits for it.
const diskTime = 15 * time.Second

// QuestDisk is what a quest's worktrees take: for htmx the figure alone.
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

// SettingsDisk is what the worktrees of all quests take.
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
			disk.Words = fmt.Sprintf("more than %s; there are too many files to count them all now", present.Bytes(total))
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
