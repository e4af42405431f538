package agents

import "questboard/orchestration"

// roleRow is what prompts need to know about a role besides its text, which is in
// prompts/role-<role>.md.
type roleRow struct {
	home    string // the quest-wide step that it usually works for; "": steps of the plan
	example signalExample
}

// signalExample is the content of a role's example signals. They show signals of good
// quality, because models follow examples more than rules.
type signalExample struct {
	Summary string
	// The two forms of a hand-over: Back with resume: true, Away with false.
	Back, Away handover
}

type handover struct {
	Target          orchestration.Role
	Reason, Context string
	Findings        []orchestration.Found // only Lawbringer's
}

// roles is the prompts' table of roles. What the rules know about a role is in
// orchestration/role.go.
var roles = map[orchestration.Role]roleRow{
	orchestration.ChaosWhisperer: {home: orchestration.StepRequirements,
		example: signalExample{Summary: "Stored 3 requirements with 7 observables: links expire, expired links say so, old links keep " +
			"working. Left out on purpose: a list of one's links, which was not asked for."}},
	orchestration.PathSeeker: {home: orchestration.StepPlan, example: signalExample{
		Summary: "Stored 5 steps: link-model first, then expiry-job, expired-page and api-field in parallel, docs last. All 7 observables " +
			"are covered. store/links.go is touched by link-model alone.",
		Back: handover{Target: orchestration.Codeweaver, Reason: "I cannot tell whether the store can index by time without trying it",
			Context: "Try in store/links.go whether an index on expires_at works with the present migration tool (db/migrate.go). Say how, or " +
				"why not; leave no change behind."},
		Away: handover{Target: orchestration.Spiritmender, Reason: "The step is planned right; what stops it is a broken build",
			Context: "go build fails in api/gen.go since the generator was renamed to apigen (Makefile, line 12). Mend that; the step needs no " +
				"new plan."},
	}},
	orchestration.Codeweaver: {example: signalExample{
		Summary: "Links have an expiry time: store/links.go (field, Use, Expire), migration 0007, tests in links_test.go for before, at and " +
			"after the limit. Others can call links.Expired(now). The check is green.",
		Back: handover{Target: orchestration.Spiritmender, Reason: "Lint errors that are not mine keep the check red",
			Context: "golangci-lint reports 14 unused parameters in web/forms.go, which my step does not touch. Mend them; then I go on with " +
				"store/links.go, where nothing is written yet."},
		Away: handover{Target: orchestration.PathSeeker,
			Reason: "The step needs changes in the API and in the store, which are two pieces of work with different files",
			Context: "The expiry field must also be in api/openapi.json and api/links.go, which belong to no step. Suggest: this step keeps the " +
				"store, a new step api-field does the API and depends on it. Nothing is changed in api/ yet."},
	}},
	orchestration.Siegemaster: {example: signalExample{
		Summary: "Tried all 3 observables by hand and 14 edges; added 9 tests in links_edge_test.go (limit, clock change, double expiry, " +
			"huge id). Mended a missing bound in store/links.go. The check is green.",
		Back: handover{Target: orchestration.Codeweaver, Reason: "Two requests at the same moment both use up a link that allows one",
			Context: "links_edge_test.go, TestOneUseIsOneUse (it fails now) starts 50 requests at once; 2 to 5 succeed, requirement one-use " +
				"promises 1. The check and the write in store/links.go, Use, are two transactions."},
		Away: handover{Target: orchestration.PathSeeker, Reason: "The step cannot keep what it promises without a change in another step's files",
			Context: "Links expire in store/links.go, but web/cache.go keeps expired pages for a day and belongs to the step page-cache. " +
				"Suggest: a step that empties the cache on expiry, after both."},
	}},
	orchestration.Spiritmender: {example: signalExample{
		Summary: "The check failed because Expire compared local with UTC time (store/links.go); now all UTC, with a test in links_test.go. " +
			"The three other failures came from that. The check is green.",
		Back: handover{Target: orchestration.Codeweaver, Reason: "One of the two causes is code that was never written",
			Context: "TestImport calls links.Merge, which store/links.go does not have; write it with its test. The other cause is a wrong path " +
				"in testdata, which I mend when I am back."},
		Away: handover{Target: orchestration.Codeweaver,
			Reason: "The failing test is right, and meeting it needs another design of the expiry job",
			Context: "TestExpiryAfterRestart needs expiry to survive a restart. The job keeps its queue in memory (jobs/expiry.go, type queue). " +
				"It should read what is due from the store at start. Nothing is changed yet."},
	}},
	orchestration.Lawbringer: {home: orchestration.StepReview, example: signalExample{
		Summary: "Read the whole change (5 steps, 14 files) and tried 4 observables by hand. Nothing that matters.",
		Back: handover{Target: orchestration.Codeweaver,
			Reason: "One observable is not met: an expired link answers 500 instead of the page that says so",
			Context: "web/expired.go, Show: the template needs Link.Owner, which is nil for old links. Requirement expired-page promises the " +
				"page for every link. Add the test that is missing.",
			Findings: []orchestration.Found{{What: "An expired link of an old version answers 500: the template needs Link.Owner, which is " +
				"nil there.", Where: "web/expired.go:38"}}},
		Away: handover{Target: orchestration.Spiritmender, Reason: "Two findings, both to be mended where they stand",
			Context: "1. store/links.go, Expire: the error of Close is dropped, a full disk would go unnoticed; return it, with a test. 2. " +
				"api.md still lists the old field.",
			Findings: []orchestration.Found{{What: "The error of Close is dropped, so a full disk goes unnoticed.", Where: "store/links.go:71"},
				{What: "The documentation lists a field that is gone.", Where: "api.md"}}},
	}},
}
