package failpoint

// Point is a moment between two things that must both happen, or not at all.
type Point string

// The points. A point that is passed for several kinds of things has a place for each
// kind: an effect, an input, a change of git's refs.
const (
	// One transaction of the database.
	CommitBefore  Point = "commit-before"
	CommitWritten Point = "commit-written" // all rows are written, COMMIT is to come
	CommitAfter   Point = "commit-after"   // in the file, but nobody was told
	DeleteAfter   Point = "delete-after"   // a quest's rows are gone; its output, trees and branch are not

	// What follows a commit, in this order.
	Published Point = "published" // readers see it
	Stored    Point = "stored"    // an input is stored
	Replied   Point = "replied"
	Rung      Point = "rung"
	Effect    Point = "effect" // before an effect is carried out

	// A run's life, seen from the server.
	RunBegins  Point = "run-begins"
	Fork       Point = "fork"
	Forked     Point = "forked"      // the supervisor lives
	RunStarted Point = "run-started" // the program lives, and its pid is not stored
	RunLeft    Point = "run-left"    // it knows that its signal is stored, and has ended; its work is only in files
	RunSettled Point = "run-settled" // its work is safe, and its end is not stored

	// The same, in its supervisor; TERM and KILL also where the server sweeps.
	SuperviseFork   Point = "supervise-fork"
	SuperviseForked Point = "supervise-forked" // the program lives, the server was not told
	TermBefore      Point = "term-before"
	TermAfter       Point = "term-after" // a process of the run got TERM; nobody waited for it yet
	KillBefore      Point = "kill-before"
	KillAfter       Point = "kill-after"
	SuperviseEmpty  Point = "supervise-empty" // nothing lives, the server was not told

	// An agent's signal.
	SignalReceived Point = "signal-received"
	SignalStored   Point = "signal-stored" // committed, the agent was not told

	// Git.
	RefsBefore    Point = "refs-before" // before git makes a change
	RefsAfter     Point = "refs-after"
	TreeAdded     Point = "tree-added"     // a worktree without files
	MergeFiles    Point = "merge-files"    // the quest's branch is merged into a step's files, but that is not recorded
	MergeBefore   Point = "merge-before"   // one attempt begins
	MergeAfter    Point = "merge-after"    // the attempt is over, with any result
	MergeFollowed Point = "merge-followed" // the quest's own files are where its branch is
	ReleaseBefore Point = "release-before"
	ReleaseFiles  Point = "release-files" // the tree is gone, but its branch is left
	ReleaseAfter  Point = "release-after"
	Delivered     Point = "delivered" // the work has arrived, but that is not stored

	// A start after a crash.
	RecoverLoaded Point = "recover-loaded"
	RecoverSwept  Point = "recover-swept"
	RecoverBuried Point = "recover-buried" // the work of an orphaned run is saved, but its end is not stored
	RecoverTidied Point = "recover-tidied"

	// A copy of the database.
	BackupBefore Point = "backup-before" // complete and checked, under another name
	BackupAfter  Point = "backup-after"

	// People are told of something. Places does not list them, because no quest depends on
	// them: package telling strikes them itself.
	TellBefore Point = "tell-before" // the message is stored, and not sent
	TellAfter  Point = "tell-after"  // it is sent, and that is not stored
)

// Place is one point or, if a point has several kinds, one of them.
type Place struct {
	Name string
	// Fails: the place can return an error.
	Fails bool
}

// Places lists all places.
func Places() []Place {
	var all []Place
	add := func(fails bool, points ...Point) {
		for _, p := range points {
			all = append(all, Place{string(p), fails})
		}
	}
	each := func(fails bool, p Point, kinds ...string) {
		for _, kind := range kinds {
			all = append(all, Place{string(p) + " " + kind, fails})
		}
	}
	refs := []string{"begin", "start", "commit", "keep", "bring", "merge", "remove", "deliver", "forget"}
	add(true, CommitBefore, CommitWritten, CommitAfter, DeleteAfter)
	add(false, Published, Replied, Rung)
	each(false, Stored, "ProcessStarted", "SessionOpened", "SignalReceived", "RunExited", "MergeEnded")
	each(false, Effect, "StartRun", "EndRun", "MergeStep", "ReleaseStep")
	add(true, RunBegins, Fork)
	add(false, Forked, RunStarted, RunLeft, RunSettled)
	add(true, SuperviseFork)
	add(false, SuperviseForked, TermBefore, TermAfter, KillBefore, KillAfter, SuperviseEmpty)
	add(true, SignalReceived, SignalStored)
	each(true, RefsBefore, refs...)
	each(true, RefsAfter, refs...)
	add(true, TreeAdded, MergeFiles, MergeBefore, MergeFollowed, ReleaseFiles, Delivered)
	add(false, MergeAfter, ReleaseBefore, ReleaseAfter)
	add(true, RecoverLoaded, RecoverSwept)
	add(false, RecoverBuried, RecoverTidied)
	add(true, BackupBefore, BackupAfter)
	return all
}
