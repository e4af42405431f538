package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gorm.io/gorm"

	"questboard/orchestration"
)

// endedColumns selects the outcome that was stored when a quest ended, and counts of
// its steps for quests that an older version ended, and whether a step changed a file.
const endedColumns = `outcome,
	(SELECT COUNT(*) FROM steps WHERE quest_id = quests.id AND ord >= 0 AND stage = 'done'),
	(SELECT COUNT(*) FROM steps WHERE quest_id = quests.id AND ord >= 0 AND stage = 'skipped'),
	(SELECT COUNT(*) FROM steps WHERE quest_id = quests.id AND ord >= 0 AND stage <> 'superseded'),
	(SELECT COUNT(*) FROM steps WHERE quest_id = quests.id AND stage = 'done' AND changed IS NOT NULL) > 0`

// stepChanged tells whether the quest's work changed a file
// (orchestration.Quest.ChangedFiles): "changed" is NULL for a step without changes. The list of
// columns counts instead, because for an EXISTS there PostgreSQL reads all steps of all quests.
const stepChanged = `EXISTS (SELECT 1 FROM steps WHERE quest_id = quests.id AND stage = 'done' AND changed IS NOT NULL)`

// Ended implements engine.Store, newest end first.
func (s *Store) Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error) {
	where, args := endedWhere(f)
	query := strings.Replace(s.tables.queryQuest, " FROM ", ", "+endedColumns+" FROM ", 1)
	rows, err := s.readers.WithContext(ctx).Raw(query+where+" ORDER BY ended_at DESC, id LIMIT ? OFFSET ?",
		append(args, max(f.N, 0), max(f.Skip, 0))...).Rows()
	if err != nil {
		return nil, fmt.Errorf("list ended quests: %w", explain(err))
	}
	defer rows.Close()
	var list []orchestration.Ended
	for rows.Next() {
		e := orchestration.Ended{Quest: new(orchestration.Quest)}
		var over bool
		var came any
		var counted orchestration.Progress
		to := append(targets(nil, questColumns(e.Quest)), &over, &e.ID, &came, &counted.Done, &counted.Skipped, &counted.Total, &e.Changed)
		if err := rows.Scan(to...); err != nil {
			p, err := salvage(rows, err)
			if err != nil {
				return nil, fmt.Errorf("read ended quests: %w", err)
			}
			e.Quest = p.whole()
		}
		if !e.Damaged() {
			e.Outcome = outcomeOf(came, counted)
		}
		orchestration.Restore(e.Quest)
		list = append(list, e)
	}
	return list, explain(rows.Err())
}

// outcomeOf reads the outcome that was stored at the end. If it is missing or damaged,
// only the counts are known.
func outcomeOf(came any, counted orchestration.Progress) orchestration.QuestOutcome {
	var o orchestration.QuestOutcome
	if err := fromJSON(came, &o); err != nil || !o.Known {
		return orchestration.QuestOutcome{Progress: counted}
	}
	return o
}

func endedWhere(f orchestration.EndedFilter) (where string, args []any) {
	where, args = " WHERE is_over = ?", []any{true}
	if f.Status != "" {
		where += " AND abandoned = ?"
		args = append(args, f.Status == orchestration.StatusAbandoned)
	}
	if f.Undelivered {
		where += " AND abandoned = ? AND workspace = ? AND delivered IS NULL AND " + stepChanged
		args = append(args, false, string(orchestration.WorkspaceWorktree))
	}
	if f.Follows != "" {
		where += " AND follows = ?"
		args = append(args, f.Follows)
	}
	if !f.Since.IsZero() {
		where += " AND ended_at >= ?"
		args = append(args, unixNano(f.Since))
	}
	if f.Search != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(f.Search)) + "%"
		where += ` AND (` + lower("title", f.Search) + ` LIKE ? ESCAPE '\' OR ` + lower("repo", f.Search) +
			` LIKE ? ESCAPE '\' OR id LIKE ? ESCAPE '\')`
		args = append(args, like, like, like)
	}
	return where, args
}

// mostLetters is more than an alphabet has.
const mostLetters = 100

// lower is SQL for a column in lower case, as far as it matters for what is sought. The databases'
// LOWER knows only the letters of ASCII.
func lower(column, sought string) string {
	small := map[rune]rune{} // by capital letter
	add := func(r rune) {
		if s := unicode.ToLower(r); s != r && r >= utf8.RuneSelf && len(small) < mostLetters {
			small[r] = s
		}
	}
	for _, r := range sought {
		add(r)
		s := unicode.ToLower(r)
		for other := unicode.SimpleFold(s); other != s; other = unicode.SimpleFold(other) {
			add(other)
		}
	}
	text := "LOWER(" + column + ")"
	for _, capital := range slices.Sorted(maps.Keys(small)) {
		text = fmt.Sprintf("REPLACE(%s, '%c', '%c')", text, capital, small[capital])
	}
	return text
}

// Tally implements engine.Store.
func (s *Store) Tally(ctx context.Context) (orchestration.Tally, error) {
	t := orchestration.Tally{Outcomes: map[orchestration.Outcome]int{}}
	db := s.readers.WithContext(ctx)
	own := db.Raw("SELECT COALESCE(SUM(CASE WHEN abandoned THEN 0 ELSE 1 END), 0), COALESCE(SUM(CASE WHEN abandoned THEN 1 ELSE 0 END), "+
		"0), COALESCE(SUM(cost_usd), 0) FROM quests WHERE is_over = ?", true)
	if err := own.Row().Scan(&t.Complete, &t.Abandoned, &t.CostUSD); err != nil {
		return t, fmt.Errorf("count ended quests: %w", explain(err))
	}
	rows, err := db.Raw("SELECT outcome, COUNT(*) FROM runs WHERE quest_id IN (SELECT id FROM quests WHERE is_over = ?) GROUP BY outcome",
		true).Rows()
	if err != nil {
		return t, fmt.Errorf("count ended runs: %w", explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		var outcome string
		var n int
		if err := rows.Scan(&outcome, &n); err != nil {
			return t, fmt.Errorf("count ended runs: %w", err)
		}
		t.Outcomes[orchestration.Outcome(outcome)] = n
	}
	return t, explain(rows.Err())
}

// modelsOfRuns steps through the index from one model to the next: there are few of them, and many
// runs.
const modelsOfRuns = `WITH RECURSIVE models (model) AS (
	SELECT MIN(model) FROM runs WHERE model <> ''
	UNION ALL SELECT (SELECT MIN(model) FROM runs WHERE model <> '' AND model > models.model) FROM models WHERE models.model IS NOT NULL)
	SELECT model FROM models WHERE model IS NOT NULL`

// Paid implements engine.Store.
func (s *Store) Paid(ctx context.Context) ([]orchestration.Paid, error) {
	db := s.readers.WithContext(ctx)
	var models []string
	if err := db.Raw(modelsOfRuns).Scan(&models).Error; err != nil {
		return nil, fmt.Errorf("look at what runs cost: %w", explain(err))
	}
	var list []orchestration.Paid
	for _, model := range models {
		newest, err := paidOf(db, model)
		if err != nil {
			return nil, fmt.Errorf("look at what runs of %.40q cost: %w", model, explain(err))
		}
		list = append(list, newest...)
	}
	return list, nil
}

// paidOf returns the newest runs of a model.
func paidOf(db *gorm.DB, model string) (list []orchestration.Paid, err error) {
	rows, err := db.Raw("SELECT cost_usd, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write FROM runs "+
		"WHERE model <> '' AND model = ? AND ended_at <> 0 ORDER BY ended_at DESC, id LIMIT ?", model, orchestration.PaidMost).Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		p := orchestration.Paid{Model: model}
		if err := rows.Scan(&p.USD, &p.Tokens.Input, &p.Tokens.Output, &p.Tokens.CacheRead, &p.Tokens.CacheWrite); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

// Past implements engine.Store.
func (s *Store) Past(ctx context.Context) ([]orchestration.Past, error) {
	const newest = `SELECT id, size, created_at, ended_at, cost_usd, ROW_NUMBER() OVER (PARTITION BY size ORDER BY ended_at DESC, id) AS place
		FROM quests WHERE is_over = ? AND abandoned = ?`
	rows, err := s.readers.WithContext(ctx).Raw("SELECT size, ended_at - created_at, cost_usd, "+
		"(SELECT COUNT(*) FROM steps WHERE quest_id = newest.id AND ord >= 0 AND stage = ?) FROM ("+newest+
		") AS newest WHERE place <= ? ORDER BY ended_at DESC",
		string(orchestration.StageDone), true, false, orchestration.PastMost).Rows()
	if err != nil {
		return nil, fmt.Errorf("look at what quests took: %w", explain(err))
	}
	defer rows.Close()
	var list []orchestration.Past
	for rows.Next() {
		var p orchestration.Past
		if err := rows.Scan((*string)(&p.Size), (*int64)(&p.Took), &p.CostUSD, &p.Steps); err != nil {
			return nil, fmt.Errorf("look at what quests took: %w", err)
		}
		list = append(list, p)
	}
	return list, explain(rows.Err())
}
