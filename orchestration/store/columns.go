package store

import "questboard/orchestration"

// The columns of each quest table, apart from the keys that the table type adds. If an
// exported field is missing here, the round trip in storetest fails.

func questColumns(q *orchestration.Quest) []column {
	return []column{
		{"version", &q.Version},
		{"seq", &q.Seq},
		{"title", &q.Title},
		{"untitled", &q.Untitled},
		{"repo", &q.Repo},
		{"ward", &q.Ward},
		{"workspace", (*string)(&q.Workspace)},
		{"branch", &q.Branch},
		{"agent", &q.Agent},
		{"slots", &q.Slots},
		{"priority", (*string)(&q.Priority)},
		{"budget_usd", &q.BudgetUSD},
		{"size", (*string)(&q.Size)},
		{"sized_by", &q.SizedBy},
		{"size_reason", &q.SizeReason},
		{"siege", (*string)(&q.Siege)},
		{"limits", inJSON(&q.Limits)},
		{"backoff_first", (*int64)(&q.Backoff.First)},
		{"backoff_max", (*int64)(&q.Backoff.Max)},
		{"crash_backoff", inJSON(&q.CrashBackoff)},
		{"created_at", (*instant)(&q.CreatedAt)},
		{"ended_at", (*instant)(&q.EndedAt)},
		{"phase", (*string)(&q.Phase)},
		{"paused", &q.Paused},
		{"abandoned", &q.Abandoned},
		{"wait", wired[*orchestration.Wait, *wait]{&q.Wait, toWait, fromWait}},
		{"gate_requirements", (*string)(&q.GateRequirements)},
		{"gate_plan", (*string)(&q.GatePlan)},
		{"budget_warned", &q.BudgetWarned},
		{"locked", &q.Locked},
		{"first_plan", &q.FirstPlan},
		{"green_tree", &q.GreenTree},
		{"merging", inJSON(&q.Merging)},
		{"baseline", (*string)(&q.Baseline)},
		{"baseline_run", &q.BaselineRun},
		{"delivered", delivered{q}},
		{"cost_usd", &q.CostUSD},
		{"granted_at", (*instant)(&q.GrantedAt)},
		{"follows", &q.Follows},
		{"forks", inJSON(&q.Forks)},
	}
}

func documentColumns(q *orchestration.Quest) []column {
	return []column{
		{"request", &q.Request},
		{"requirements", inJSON(&q.Requirements)},
		{"known_faults", inJSON(&q.KnownFaults)},
		{"uncovered", inJSON(&q.Uncovered)},
		{"changes", inJSON(&q.Changes)},
		{"former", inJSON(&q.Former)},
		{"repo_file", inJSON(&q.File)},
		{"attachments", inJSON(&q.Attachments)},
	}
}

func stepColumns(s *orchestration.Step) []column {
	return []column{
		{"id", &s.ID},
		{"title", &s.Title},
		{"description", &s.Description},
		{"files", inJSON(&s.Files)},
		{"depends_on", inJSON(&s.DependsOn)},
		{"observables", inJSON(&s.Observables)},
		{"minutes", &s.Minutes},
		{"risk", (*string)(&s.Risk)},
		{"risk_reason", &s.RiskReason},
		{"stage", (*string)(&s.Stage)},
		{"hold", (*string)(&s.Hold)},
		{"block", wired[*orchestration.Block, *block]{&s.Block, toBlock, fromBlock}},
		{"run_id", &s.Run},
		{"priority", (*string)(&s.Priority)},
		{"started", &s.Started},
		{"holds_files", &s.HoldsFiles},
		{"verdict", &s.Verdict},
		{"green_tree", &s.GreenTree},
		{"checked", (*string)(&s.Checked)},
		{"start_tree", &s.StartTree},
		{"changed", inJSON(&s.Changed)},
		{"comments", &s.Comments},
		{"counts", wired[orchestration.Counts, counts]{&s.Counts, toCounts, fromCounts}},
		{"visits", inJSON(&s.Visits)},
		{"replaces", &s.Replaces},
		{"replaced_by", inJSON(&s.ReplacedBy)},
		{"added_by", &s.AddedBy},
		{"started_at", (*instant)(&s.StartedAt)},
		{"ended_at", (*instant)(&s.EndedAt)},
		{"reason", &s.Reason},
		{"skip_final", &s.Final},
		{"by_hand", &s.ByHand},
		{"findings", inJSON(&s.Findings)},
		{"instructions", inJSON(&s.Instructions)},
		{"rounds", &s.Rounds},
		{"looked", &s.Looked},
		{"besieged", &s.Besieged},
		{"siege_proof", inJSON(&s.SiegeProof)},
		{"made_of", &s.MadeOf},
		{"proof", inJSON(&s.Proof)},
	}
}

func runColumns(r *orchestration.Run) []column {
	cancel := r.Stopping != "" // derived; for the host that carries out the run
	return []column{
		{"id", &r.ID},
		{"epoch", &r.Epoch},
		{"state", (*string)(&r.State)},
		{"outcome", (*string)(&r.Outcome)},
		{"host_id", &r.HostID},
		{"boot_id", &r.BootID},
		{"token_hash", &r.TokenHash},
		{"cancel_requested", &cancel},
		{"session_id", &r.SessionID},
		{"opened", &r.Opened},
		{"role", (*string)(&r.Role)},
		{"line", &r.Step},
		{"start_kind", (*string)(&r.Start)},
		{"resumed_from", &r.ResumedFrom},
		{"forked_from", &r.ForkedFrom},
		{"return_to", &r.ReturnTo},
		{"alone", &r.Alone},
		{"brief", inJSON(&r.Brief)},
		{"visit", &r.Visit},
		{"slot", &r.Slot},
		{"pid", &r.PID},
		{"queued_at", (*instant)(&r.QueuedAt)},
		{"not_before", (*instant)(&r.NotBefore)},
		{"started_at", (*instant)(&r.StartedAt)},
		{"ended_at", (*instant)(&r.EndedAt)},
		{"signal", inJSON(&r.Signal)},
		{"draft", inJSON(&r.Draft)},
		{"waiting", &r.Waiting},
		{"stopping", (*string)(&r.Stopping)},
		{"late", &r.Late},
		{"beside", &r.Beside},
		{"exit_code", &r.ExitCode},
		{"why", &r.Why},
		{"cost_usd", &r.CostUSD},
		{"session_cost", &r.SessionCost},
		{"tokens_input", &r.Tokens.Input},
		{"tokens_output", &r.Tokens.Output},
		{"tokens_cache_read", &r.Tokens.CacheRead},
		{"tokens_cache_write", &r.Tokens.CacheWrite},
		{"context", &r.Context},
		{"denied", inJSON(&r.Denied)},
		{"digest", (*raw)(&r.Digest)},
		{"from_commit", &r.From},
		{"commit_id", &r.Commit},
	}
}

func questionColumns(q *orchestration.Question) []column {
	return []column{
		{"id", &q.ID},
		{"run_id", &q.Run},
		{"line", &q.Step},
		{"role", (*string)(&q.Role)},
		{"text", &q.Text},
		{"context", &q.Context},
		{"wall", (*string)(&q.Wall)},
		{"asked_at", (*instant)(&q.AskedAt)},
		{"answer", &q.Answer},
		{"answered_by", &q.AnsweredBy},
		{"answered_at", (*instant)(&q.AnsweredAt)},
		{"closed", &q.Closed},
	}
}

func eventColumns(e *orchestration.Event) []column {
	return []column{
		{"at", (*instant)(&e.At)},
		{"actor", &e.Actor},
		{"type", (*string)(&e.Type)},
		{"line", &e.Step},
		{"run_id", &e.Run},
		{"data", inJSON(&e.Data)},
	}
}
