package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"questboard/orchestration"
)

// head has what commands read of the API's QuestHead.
type head struct {
	ID       string               `json:"id"`
	Title    string               `json:"title"`
	Status   orchestration.Status `json:"status"`
	Why      string               `json:"why"`
	Version  int64                `json:"version"`
	NeedsYou int                  `json:"needsYou"`
	Cost     float64              `json:"cost"`
	Progress struct{ Done, Skipped, Total int }
}

func (h head) over() bool {
	return h.Status == orchestration.StatusComplete || h.Status == orchestration.StatusAbandoned
}

// need has what commands read of the API's Need.
type need struct {
	Kind                  orchestration.NeedKind
	Quest, Step, Question string // empty: null
	Reason, Agent         string
	Quests                []string
}

// subject returns what the need is about: for a question its id, because `answer` takes it.
func (n need) subject() string {
	switch {
	case n.Question != "":
		return n.Question
	case n.Quest == "":
		return strings.Join(n.Quests, ",")
	case n.Step != "":
		return n.Quest + " " + n.Step
	default:
		return n.Quest
	}
}

// String is the need on one line.
func (n need) String() string {
	return Line(fmt.Sprintf("%s %s %s", n.Kind, n.subject(), n.Reason))
}

// listed is the API's list of quests.
type listed struct {
	Quests []head
	Needs  []need
}

// ours reports whether a server of this version answered so: a list is never null.
func (l *listed) ours() bool { return l.Quests != nil && l.Needs != nil }

// detailed has what commands read of the API's Quest.
type detailed struct {
	head
	Needs     []need
	Questions []struct{ ID, Context string }
}

func (q *detailed) ours() bool { return q.Status != "" && q.Needs != nil }

// Status prints the quests that are not over, and what needs the user.
func (c *Client) Status(ctx context.Context) error {
	ctx, end := c.limited(ctx)
	defer end()
	var raw json.RawMessage
	var list listed
	if err := c.get(ctx, "/quests", &raw, &list); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(c.Out, raw)
	}
	var rows []head
	for _, h := range list.Quests {
		if !h.over() || h.NeedsYou > 0 {
			rows = append(rows, h)
		}
	}
	if err := printHeads(c.Out, rows); err != nil {
		return err
	}
	if over := len(list.Quests) - len(rows); over > 0 {
		fmt.Fprintf(c.Out, "over: %d\n", over)
	}
	return printNeeds(c.Out, list.Needs, nil)
}

// StatusOf prints one quest with what its agents ask. name is its id, or a beginning of it.
func (c *Client) StatusOf(ctx context.Context, name string) error {
	ctx, end := c.limited(ctx)
	defer end()
	id, err := c.questID(ctx, name)
	if err != nil {
		return err
	}
	var raw json.RawMessage
	var q detailed
	if err := c.get(ctx, questPath(id), &raw, &q); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(c.Out, raw)
	}
	return printQuest(c.Out, q)
}

func questPath(id string) string { return "/quests/" + url.PathEscape(id) }

// printHeads prints a table of quests. Only the last column, the title, has characters
// whose width is not known.
func printHeads(out io.Writer, rows []head) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, "no quest is at work")
		return err
	}
	const format = "%-8s  %-9s  %7s  %8s  %s"
	table := []string{fmt.Sprintf(format, "QUEST", "STATUS", "DONE", "COST", "TITLE")}
	for _, h := range rows {
		done := fmt.Sprintf("%d/%d", h.Progress.Done+h.Progress.Skipped, h.Progress.Total)
		table = append(table, fmt.Sprintf(format, Line(h.ID), Line(string(h.Status)), done, orchestration.DollarWords(h.Cost), Line(h.Title)))
	}
	for _, row := range table {
		if _, err := fmt.Fprintln(out, fit(out, row)); err != nil {
			return err
		}
	}
	return nil
}

// printNeeds prints what waits for the user. context has what agents say about their
// questions, by id; it is printed in full.
func printNeeds(out io.Writer, needs []need, context map[string]string) error {
	if len(needs) > 0 {
		fmt.Fprintln(out, "\nneeds you:")
	}
	for _, n := range needs {
		first := n.String()
		if context == nil {
			first = fit(out, first)
		}
		if _, err := fmt.Fprintln(out, first); err != nil {
			return err
		}
		if text := strings.TrimSpace(lines(context[n.Question])); text != "" {
			fmt.Fprintln(out, "  "+strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	return nil
}

func printQuest(out io.Writer, q detailed) error {
	if err := printHeads(out, []head{q.head}); err != nil {
		return err
	}
	fmt.Fprintln(out, Line(q.Why))
	context := map[string]string{}
	for _, ask := range q.Questions {
		context[ask.ID] = ask.Context
	}
	return printNeeds(out, q.Needs, context)
}

// questID returns the id of the quest that a person named: the id itself, or a beginning
// that no other quest has.
func (c *Client) questID(ctx context.Context, name string) (string, error) {
	var list listed
	if err := c.get(ctx, "/quests", &list); err != nil {
		return "", err
	}
	choices := map[string]string{}
	for _, h := range list.Quests {
		choices[h.ID] = h.Title
	}
	return only("quest", name, choices)
}

// only returns the one of the choices, from ids to titles, whose id is the name or begins
// with it.
func only(what, name string, choices map[string]string) (string, error) {
	if _, exact := choices[name]; exact {
		return name, nil
	}
	var ids, said []string
	for id, title := range choices {
		if strings.HasPrefix(id, name) {
			ids, said = append(ids, id), append(said, fmt.Sprintf("%s (%.60s)", id, Line(title)))
		}
	}
	slices.Sort(said)
	switch {
	case len(ids) == 1:
		return ids[0], nil
	case len(ids) == 0:
		return "", faultf(ExitNotFound, "there is no %s %q: `questboard status` lists them", what, name)
	case len(said) > 5:
		said = append(said[:5], fmt.Sprintf("and %d more", len(said)-5))
	}
	return "", faultf(ExitNotFound, "%q is the beginning of %d %ss, write more of it: %s", name, len(ids), what, strings.Join(said, ", "))
}
