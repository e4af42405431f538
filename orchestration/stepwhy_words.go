package orchestration

import (
	"fmt"
	"strings"
	"time"
)

// Words explains the state of the step in a sentence without a capital letter and a full
// stop. The API and the pages use it. A page that needs other words makes them from the
// kind.
func (w StepWhy) Words() string {
	switch w.Kind {
	case WhyDone:
		return w.doneWords()
	case WhySkipped:
		return SkippedWords("you", w.Text)
	case WhyReplaced:
		if len(w.Steps) == 0 {
			return "left out by the plan after a change of the requirements"
		}
		return "replaced by " + strings.Join(w.Steps, ", ")
	case WhyNotNeeded:
		if w.Review {
			return ErrandWords
		}
		return "not needed (errand)"
	case WhyGrew:
		return "became a larger quest; its work is kept"
	case WhyAbandoned:
		return "the quest was abandoned"
	case WhyBlocked:
		return w.Text
	case WhyYours:
		return yoursWords(w.By, w.Text)
	case WhyAsks:
		if w.Role == "" {
			return "asks"
		}
		return fmt.Sprintf("%s asks (%s ago): %s", w.Role.Name(), wait(w.Time), firstLine(w.Text))
	case WhyTurn:
		return "waits for an earlier phase"
	case WhySteps:
		return "waits for " + strings.Join(w.Steps, ", ")
	case WhyBaseline:
		return "waits for the check of the base"
	case WhyPlan:
		return "waits for the plan's approval"
	case WhyChange:
		return "waits: the requirements are being changed"
	case WhyReady:
		return w.readyWords()
	case WhyTurnMerge:
		return fmt.Sprintf("%s: waits to be merged, %d before it", foundWords[w.Checked], w.Before)
	case WhyMerges:
		return foundWords[w.Checked] + ": being merged"
	case WhyApproval:
		return "waits for your approval"
	case WhyNothing:
		return ""
	default:
		return w.runWords()
	}
}

// foundWords says what was found about a step that waits for its merge.
var foundWords = map[Checked]string{
	CheckedPassed:  "check passed",
	CheckedAsBase:  "the check has only failures from before the first step",
	CheckedNot:     "not checked",
	CheckedUnknown: "no record that the check passed",
}

// doneWords says whether a step that is done was tested and checked.
func (w StepWhy) doneWords() string {
	words := map[Checked]string{
		"":             "done", // a quest-wide step has nothing to check
		CheckedPassed:  "done, and the check passed",
		CheckedAsBase:  "done; the check has only failures from before the first step, which were accepted",
		CheckedNot:     "done, not checked",
		CheckedUnknown: "done; no record that the check passed",
	}[w.Checked]
	switch {
	case w.By != "":
		words += "; " + byHandWords
	case w.Tested:
		words += "; edge cases tested"
	case w.NoSiege != "" && !w.Errand: // who says that there was no review says enough
		words += "; " + w.NoSiege.Words()
	}
	if w.Errand {
		words += "; " + ErrandWords
	}
	return words
}

func (w StepWhy) readyWords() string {
	switch w.Obstacle.Kind {
	case ObstacleNone:
		return "ready, waits for a slot" + aheadWords[w.Ahead]
	case ObstacleHold:
		return "ready: " + w.Obstacle.Words()
	default:
		return "ready, waits for a slot: " + w.Obstacle.Words()
	}
}

func (w StepWhy) runWords() string {
	words := w.stateWords()
	if w.WardFailed > 0 {
		words += fmt.Sprintf("; check failed: %d of at most %d", w.WardFailed, w.WardLimit)
	}
	if w.Then != "" {
		words += fmt.Sprintf("; then %s resumes", w.Then.Name())
	}
	return words
}

func (w StepWhy) stateWords() string {
	who := w.Role.Name()
	switch w.Kind {
	case WhyBacksOff:
		last := "waits before the next try"
		if w.Text != "" {
			last = firstLine(w.Text)
		}
		return fmt.Sprintf("%s: resumes in %s, %s", last, wait(w.Time), tries(w.Try))
	case WhyQueued:
		why := "waits for a slot"
		if w.Role == Ward {
			why = "waits for its turn among the checks"
		}
		if w.Obstacle.Kind != ObstacleNone {
			why = w.Obstacle.Words()
		}
		return who + " queued: " + why
	case WhyStops:
		return who + " is being ended"
	case WhyEnded:
		return w.Text
	case WhyNoCheck:
		return "no check command is set: the step continues unchecked"
	case WhyChecks:
		return "the check runs: " + firstLine(w.Text)
	case WhyStarts:
		return who + " is being started"
	default:
		return who + " at work"
	}
}

// Ahead says what has steps of a higher priority that can start.
type Ahead string

const (
	AheadSteps  Ahead = "steps"  // the step's own quest
	AheadQuests Ahead = "quests" // another quest, of a higher priority
)

var aheadWords = map[Ahead]string{
	AheadSteps:  "; steps of a higher priority go first",
	AheadQuests: "; quests of a higher priority go first",
}

// ObstacleKind says what keeps a run from starting.
type ObstacleKind string

const (
	ObstacleNone    ObstacleKind = "" // it may start
	ObstacleOver    ObstacleKind = "quest-over"
	ObstaclePaused  ObstacleKind = "quest-paused"
	ObstacleWait    ObstacleKind = "quest-waits"
	ObstacleBackoff ObstacleKind = "backoff"
	ObstacleSteps   ObstacleKind = "dependencies"
	// ObstacleBaseline: the check failed, and whether it fails on the base is not known yet.
	ObstacleBaseline ObstacleKind = "baseline"
	ObstacleRun      ObstacleKind = "run-before"  // the previous run of the same step has not ended
	ObstacleFork     ObstacleKind = "fork"        // the run whose conversation it could go on from is about to end
	ObstacleWriters  ObstacleKind = "writers"     // this check must run alone, and another run or the person who has Step can write
	ObstacleCheck    ObstacleKind = "check-alone" // a check of Step must run alone
	ObstacleFile     ObstacleKind = "file"        // Step works on the same file
	ObstacleRole     ObstacleKind = "role"        // the repository's file allows no more runs of Role at once
	ObstacleBudget   ObstacleKind = "budget"      // the runs at work may use all that is left of the budget
	ObstacleHold     ObstacleKind = "account"     // the server holds the agent's account
)

// Obstacle is what keeps a run from starting.
type Obstacle struct {
	Kind ObstacleKind
	Step string // check-alone, file: the other step; writers: that of a person
	File string // file
	Role Role   // role
	N    int    // role: how many runs it may have at once
	Text string // quest-waits, account: the stored reason
}

// Words describes the obstacle.
func (o Obstacle) Words() string {
	switch o.Kind {
	case ObstacleOver:
		return "the quest has ended"
	case ObstaclePaused:
		return "the quest is paused"
	case ObstacleBackoff:
		return "it waits before the next try"
	case ObstacleSteps:
		return "its dependencies are not done"
	case ObstacleBaseline:
		return "the check of the base will say whether it failed before"
	case ObstacleRun:
		return "the run before it has not ended"
	case ObstacleFork:
		return "the run whose conversation it goes on from has not ended"
	case ObstacleWriters:
		if o.Step != "" {
			return "the check waits until " + o.Step + ", which a person has taken over, is done or given back"
		}
		return "the check waits until no other run can change files"
	case ObstacleCheck:
		return "the check of " + o.Step + " must run alone"
	case ObstacleRole:
		return fmt.Sprintf("the repository's file allows %s of %s at once", count(o.N, "run", "runs"), o.Role.Name())
	case ObstacleBudget:
		return "the runs at work may use all that is left of the budget"
	case ObstacleFile:
		return o.File + " is being worked on by " + o.Step
	default:
		return o.Text
	}
}

// wait prints a duration in seconds or minutes, rounded up.
func wait(d time.Duration) string {
	d = max(d, 0)
	if d < 2*time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()+0.999))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()+0.999))
}

func tries(n int) string {
	suffix := "th"
	if n/10%10 != 1 { // 11th, 12th, 13th
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s time", n, suffix)
}

func firstLine(s string) string {
	line, cut := strings.TrimSpace(s), false
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line, cut = line[:end], true
	}
	if r := []rune(line); len(r) > 160 {
		return string(r[:159]) + "…"
	} else if cut {
		return line + " …"
	}
	return line
}
