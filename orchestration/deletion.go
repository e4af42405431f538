package orchestration

// Deletion is what a deleted quest leaves outside of the store: the output of
// its runs, and in its repository its trees and its branch. It is kept until all
// of that is gone, so that a crash in between leaves nothing for good. Nothing
// but this proves that something was a deleted quest's: a quest that is not
// stored may as well be in a newer database, or in another one.
type Deletion struct {
	Quest     string
	Repo      string
	Workspace WorkspaceMode
	Runs      []string `json:",omitempty"`
}

// DeletionOf says what will be left of a quest.
func DeletionOf(q *Quest) Deletion {
	d := Deletion{Quest: q.ID, Repo: q.Repo, Workspace: q.Workspace}
	for _, r := range q.Runs.All() {
		d.Runs = append(d.Runs, r.ID)
	}
	return d
}
