package engine

import (
	"cmp"
	"fmt"
	"slices"

	"questboard/agents"
	"questboard/orchestration"
)

// spec returns how the run starts, in all details.
func (w *work) spec(dir string) (agents.Spec, error) {
	cfg, q, r := w.h.cfg, w.job.Quest, w.job.Run
	spec := agents.Spec{RunID: r.ID, QuestID: q.ID, Step: r.Step, Role: r.Role, Dir: dir, Repo: q.Repo, Ports: q.Ports()}
	if r.Role == orchestration.Ward {
		spec.Timeout = cmp.Or(w.times.Ward, q.CheckLimit(r))
		spec.Command, spec.GreenTree = q.WardCommand(r), q.GreenTree
		if step := q.Step(r.Step); q.Workspace == orchestration.WorkspaceWorktree {
			spec.GreenTree = step.GreenTree
		}
		if q.ChecksBase(r) {
			spec.GreenTree = w.h.greens.tree(keyOf(q, w.needs()))
		}
		if r.BeforeMerge() {
			spec.GreenTree = "" // that tree has passed the check alone
		}
		return spec, nil
	}
	spec.Trusted, spec.Cap = w.trusted(dir), r.Cap
	spec.SessionID, spec.Resume = r.SessionID, r.ResumedFrom != ""
	if from := q.Run(r.ForkedFrom); from != nil {
		spec.ForkOf, spec.ForkDir = from.SessionID, cfg.Workspace.Place(q, from.Step)
	}
	spec.Token, spec.MCPURL = token(r.ID, w.job.Secret), cfg.MCPURL()
	role := w.h.center.Settings().OfRole(r.Role)
	spec.Model, spec.Effort, spec.Ask, spec.Deny = cmp.Or(q.ModelOf(r.Role), role.Model), role.Effort, r.Ask, role.Deny
	spec.Allow = slices.Clone(role.Allow)
	if len(r.Ask) > 0 {
		spec.Permit = func(call orchestration.Call) (string, bool) { return w.h.center.Permit(q, r, call) }
	}
	for _, rule := range r.Allow {
		spec.Allow = append(spec.Allow, agents.AskRuleIn(dir, rule))
	}
	facts, err := w.facts(dir)
	if err != nil {
		return agents.Spec{}, err
	}
	facts.RoleText, facts.Allow, facts.Deny = role.Prompt, slices.Concat(role.Allow, r.Allow), role.Deny
	if q.File != nil {
		facts.RepoText = q.File.Texts[r.Role]
	}
	for _, path := range []string{facts.WardOutput, facts.BaselineOutput} {
		if path != "" {
			spec.Reads = append(spec.Reads, path)
		}
	}
	for _, a := range facts.Attachments {
		if a.Path != "" {
			spec.Reads = append(spec.Reads, a.Path)
		}
	}
	if spec.System, err = agents.System(q, r.Agent); err != nil {
		return agents.Spec{}, err
	}
	if spec.Prompt, err = cfg.Prompt(q, r, facts); err != nil {
		return agents.Spec{}, fmt.Errorf("write the prompt: %w", err)
	}
	spec.BuiltIn = w.builtIn(facts, spec.Prompt)
	return spec, nil
}

// builtIn returns the prompt as it would be with the built-in text of the role, or "" if
// that is the same.
func (w *work) builtIn(facts agents.PromptFacts, prompt string) string {
	if facts.RoleText == "" {
		return ""
	}
	facts.RoleText = ""
	text, err := w.h.cfg.Prompt(w.job.Quest, w.job.Run, facts)
	if err != nil || text == prompt { // it is only for show
		return ""
	}
	return text
}

// trusted judges what the run's own directory contains right now. A worktree may differ
// from the checkout that the user looked at, and agents may have changed it since.
func (w *work) trusted(dir string) bool {
	trust, known := w.h.center.Settings().TrustOf(w.job.Quest.Repo)
	if !known || w.h.cfg.RepoConfig == nil {
		return false
	}
	config, err := w.h.cfg.RepoConfig(dir)
	if err == nil && trust.Covers(config) {
		return true
	}
	w.h.cfg.Log.Info("not trusted: the directory has settings for agents that the user has not seen", "quest", w.job.Quest.ID, "run",
		w.job.Run.ID, "error", err)
	return false
}

// facts returns what the prompt says about the world outside of the quest.
func (w *work) facts(dir string) (agents.PromptFacts, error) {
	r, cfg := w.job.Run, w.h.cfg
	facts := agents.PromptFacts{Dir: dir}
	if cfg.Attachments != nil && len(w.job.Quest.Attachments) > 0 {
		facts.Attachments = cfg.Attachments(w.job.Quest)
	}
	if r.Brief.OutputOf != "" {
		facts.WardOutput = cfg.LogPath(r.Brief.OutputOf)
	}
	if base := w.job.Quest.BaselineRun; base != "" {
		if b := w.job.Quest.Baseline; b == orchestration.BaselineRed || b == orchestration.BaselineAccepted {
			facts.BaselineOutput = cfg.LogPath(base)
		}
		if cfg.Skipped != nil {
			facts.SkippedThere = cfg.Skipped(base)
		}
	}
	if agents.WantsMap(r) && cfg.Map != nil {
		var err error
		if facts.Map, err = cfg.Map(w.ctx, w.job.Quest); err != nil {
			cfg.Log.Warn("describe the repository for a prompt", "quest", w.job.Quest.ID, "run", r.ID, "error", err)
		}
	}
	if cfg.Stand != nil {
		var err error
		if facts.Stand, err = cfg.Stand(w.ctx, w.job.Quest, r.Step); err != nil {
			cfg.Log.Warn("find where a step stands, for a prompt", "quest", w.job.Quest.ID, "run", r.ID, "error", err)
		}
	}
	if !agents.WantsChanges(r) {
		return facts, nil
	}
	changes, err := cfg.Workspace.Changes(w.ctx, dir)
	if err != nil {
		return facts, fmt.Errorf("look at the changes so far: %w", err)
	}
	facts.Changes = changes
	return facts, nil
}
