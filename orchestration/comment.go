package orchestration

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Comment is a user's comment on a line of a diff.
type Comment struct {
	File  string // relative to the repository
	Line  int    // from 1; 0: the whole file
	Old   bool   // a removed line: Line counts in the old file
	Quote string // the text of the line in the diff; may be empty
	Text  string
}

func (q *Quest) mayComment(f CommentsSent) error {
	s := q.Step(f.Step)
	if why := q.noComments(s, f.Step); why != "" {
		return conflict("%s", why)
	}
	if s == nil && f.Step != "" {
		return notFound("there is no step %s", f.Step)
	}
	if len(f.Comments) > 0 && q.repeats(s, wordComments(f.Comments)) {
		return errRepeat
	}
	return nil
}

// repeats reports whether the same comments were sent before and nobody has done them yet:
// somebody who got no answer sends them again. On a blocked step they are no repeat: they
// end the block.
func (q *Quest) repeats(s *Step, text string) bool {
	if s != nil && s.Stage != StageDone {
		return s.Hold != HoldBlocked && hasComments(joinComments(q.undoneComments(s), s.Comments), text)
	}
	for _, made := range q.Steps.All() {
		if made.MadeOf == text && made.follows(s) && !made.Stage.Settled() {
			return true
		}
	}
	return false
}

// follows reports whether a step that comments made is of comments on s; the whole quest (nil) has
// every line that a step has. By now it may wait for other steps, too.
func (made *Step) follows(s *Step) bool {
	return s == nil || s.Whole() || slices.Contains(made.DependsOn, s.ID)
}

func hasComments(all, text string) bool {
	return strings.Contains("\n\n"+all+"\n\n", "\n\n"+text+"\n\n")
}

// comment passes the user's comments to Spiritmender. In a step that is not merged they
// wait until its run has ended and ward has passed. For merged work they become a new
// step.
func (e *edit) comment(f CommentsSent) error {
	if err := checkComments(f.Comments); err != nil {
		return err
	}
	s := e.q.Step(f.Step)
	if s == nil || s.Stage == StageDone {
		e.followUp(s, f.Comments)
		return nil
	}
	text := wordComments(f.Comments)
	w := e.step(s.ID)
	if !hasComments(w.Comments, text) {
		w.Comments = joinComments(w.Comments, text)
	}
	e.event(EventCommentsSent, s.ID, s.Run, "count", strconv.Itoa(len(f.Comments)), "text", text)
	switch {
	case s.Hold == HoldBlocked:
		return e.retry(RetryPressed{Step: s.ID})
	case s.Stage == StageMerge:
		e.leaveQueue(s.ID)
		e.queue(e.takeComments(s.ID))
	}
	return nil
}

// noComments says why a step accepts no comments, and what to do instead.
func (q *Quest) noComments(s *Step, step string) string {
	switch {
	case q.Workspace != WorkspaceWorktree:
		return "this quest's agents work in the repository itself: you can comment only where each step has its own worktree"
	case q.Delivered != nil:
		return fmt.Sprintf("the quest is merged (%s into %s): start a follow-up quest for what is left", q.Delivered.How, q.Delivered.Branch)
	case step == "" && !q.anyDone():
		return "no step of the quest is merged yet: comment on the step that is at work"
	case s == nil:
		return ""
	case s.Whole() && s.ID == StepBaseline:
		return "the check of the base changes no files, and there is nothing to comment on"
	case s.Whole() && s.ID != StepReview:
		return s.ID + " changes no files: send it back from its approval page instead"
	case s.Stage == StageSkipped || s.Stage == StageSuperseded:
		return fmt.Sprintf("%s is %s: none of its work is in the quest", s.ID, s.Stage)
	case s.Hold == HoldYours:
		return fmt.Sprintf("%s: %s; change it there, or give it back first", s.ID, yoursWords(s.Block.By, ""))
	case !s.Started || s.Stage == StageWaiting:
		return s.ID + " has not started: edit it instead"
	}
	return ""
}

func (q *Quest) anyDone() bool {
	for _, s := range q.Steps.All() {
		if s.Stage == StageDone {
			return true
		}
	}
	return false
}

func checkComments(comments []Comment) error {
	faults := map[string]string{}
	if len(comments) == 0 {
		faults["comments"] = "write at least one"
	}
	for i, c := range comments {
		at := fmt.Sprintf("comments.%d.", i)
		if blank(c.Text) {
			faults[at+"text"] = "it is empty"
		}
		if blank(c.File) {
			faults[at+"file"] = "name the file"
		}
		if c.Line < 0 {
			faults[at+"line"] = "lines count from 1"
		}
	}
	return fieldFaults(faults)
}

// wordComments is what Spiritmender reads.
func wordComments(comments []Comment) string {
	words := make([]string, len(comments))
	for i, c := range comments {
		var b strings.Builder
		b.WriteString(strconv.Quote(c.File))
		if c.Line > 0 {
			fmt.Fprintf(&b, ", line %d", c.Line)
		}
		if c.Old {
			b.WriteString(" (removed)")
		}
		if quote := strings.TrimSpace(c.Quote); quote != "" {
			b.WriteString(": " + firstLine(quote))
		}
		b.WriteString("\n" + strings.TrimSpace(c.Text))
		words[i] = b.String()
	}
	return strings.Join(words, "\n\n")
}

// takeComments returns the launch that handles a step's comments. The earlier verdict
// no longer counts.
func (e *edit) takeComments(step string) Launch {
	s := e.step(step)
	l := s.commented()
	s.Comments = ""
	s.forgetVerdict()
	e.commentsTaken(s)
	return l
}

// undoneComments returns the comments that the step's newest run, or what a retry will
// start, was given, and those of the runs that wait for it.
func (q *Quest) undoneComments(s *Step) string {
	var l Launch
	switch {
	case s.Block != nil:
		l = s.Block.Retry
	case s.Run != "":
		l = q.Run(s.Run).Launch
	}
	text := q.asked(l).Comments
	for l.ReturnTo != "" {
		l = q.Run(l.ReturnTo).Launch
		text = joinComments(q.asked(l).Comments, text)
	}
	return text
}

func joinComments(first, second string) string { return strings.Trim(first+"\n\n"+second, "\n") }

func (s *Step) commented() Launch {
	return Launch{Role: Spiritmender, Step: s.ID, Start: StartFollowup, Brief: Brief{Kind: BriefComments, Comments: s.Comments}}
}

// opening returns the first launch of a ready step. A step that was made of comments
// begins with them. In every other step comments wait for Codeweaver's check.
func (s *Step) opening() Launch {
	if s.MadeOf != "" {
		return s.commented()
	}
	return Launch{Role: Codeweaver, Step: s.ID, Start: StartFresh}
}

// followUp adds a step for comments on merged work: that of step s, or of the whole
// quest if s is nil. A review that has begun starts again afterwards, and a complete
// quest is reopened.
func (e *edit) followUp(s *Step, comments []Comment) {
	p := PlanStep{ID: e.freeID(), Title: "Comments on the whole quest", Description: "Do what the user's comments on the diff ask for."}
	if s != nil && !s.Whole() {
		p.Title, p.DependsOn = "Comments on "+s.Title, []string{s.ID}
	}
	for _, c := range comments {
		if localPath(c.File) && !slices.Contains(p.Files, c.File) {
			p.Files = append(p.Files, c.File)
		}
	}
	text := wordComments(comments)
	n := e.q.Steps.Len()
	e.q.Steps = e.q.Steps.Append(&Step{PlanStep: p, N: n, Stage: StageWaiting, Comments: text, MadeOf: text})
	e.steps[n] = true
	e.reindex()
	e.event(EventCommentsSent, p.ID, "", "count", strconv.Itoa(len(comments)), "text", text)
	e.event(EventPlanInForce, p.ID, "", "added", "1")
	e.letWait("", p.ID)
	e.openAgain()
	if e.q.Phase == PhaseReview || e.q.Phase == PhaseComplete {
		e.backToSteps()
		if review := e.step(StepReview); !e.q.unreviewed() {
			review.Findings = append(slices.Clip(review.Findings), Finding{What: "The user commented: " + text, State: FindingOpen,
				Steps: []string{p.ID}})
		}
	}
	e.wakeAll()
}

// openAgain opens a complete quest again. Its next review begins at 0.
func (e *edit) openAgain() {
	if e.q.Phase == PhaseComplete {
		e.q.EndedAt, e.q.LeftAt = time.Time{}, time.Time{}
		e.event(EventQuestReopened, "", "")
		e.reviewAnew()
	}
}

// freeID returns comments-1, or the next number that no step uses.
func (e *edit) freeID() string {
	for n := 1; ; n++ {
		if id := fmt.Sprintf("comments-%d", n); e.q.Step(id) == nil {
			return id
		}
	}
}
