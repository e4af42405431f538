package api

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// runOutput answers with a page of a run's lines, counted from 0.
func (h handlers) runOutput(c echo.Context) error {
	_, r, err := h.run(c)
	if err != nil {
		return err
	}
	from, n, err := page(c, "from")
	if err != nil {
		return err
	}
	raw, total, err := h.Output.Page(r.ID, int(from), n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read output of run %s: %w", r.ID, err)
	}
	lines := make([]string, len(raw))
	for i, line := range raw {
		lines[i] = strings.ToValidUTF8(string(line), "\uFFFD")
	}
	return c.JSON(http.StatusOK, map[string]any{"from": from, "lines": lines, "total": total})
}

// runPrompt answers with what the agent of a run was told: the system part, a line of
// dashes, the message. It has texts of the repository and of agents, so the headers keep a
// browser from taking it for anything but text.
func (h handlers) runPrompt(c echo.Context) error {
	_, r, err := h.run(c)
	if err != nil {
		return err
	}
	p, err := h.PromptOf(r)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderXContentTypeOptions, "nosniff")
	return c.String(http.StatusOK, p.Text())
}

// rawOutput answers with the file byte for byte. The file may hold hostile HTML, so the
// headers keep a browser from showing it.
func (h handlers) rawOutput(c echo.Context) error {
	_, r, err := h.run(c)
	if err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/jsonl")
	header.Set(echo.HeaderContentDisposition, `attachment; filename="`+r.ID+`.jsonl"`)
	header.Set(echo.HeaderXContentTypeOptions, "nosniff")
	file, err := h.Output.Raw(r.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return c.NoContent(http.StatusOK) // nothing was written yet
	}
	if err != nil {
		return fmt.Errorf("open output of run %s: %w", r.ID, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open output of run %s: %w", r.ID, err)
	}
	http.ServeContent(c.Response(), c.Request(), "", info.ModTime(), file)
	return nil
}
