package orchestration

// Deletion names what a deleted quest leaves outside of the store: the output of its
// runs, and its trees and branch in the repository. It is kept until all of that is
// gone, so that a crash leaves nothing behind. No other record proves that something
// belonged to a deleted quest: an unknown quest may as well be stored in a newer or
// another database.
type Deletion struct {
	Quest     string
	Repo      string
	Workspace WorkspaceMode
	Runs      []string `json:",omitempty"`
}

// DeletionOf names what will be left of a quest.
func DeletionOf(q *Quest) Deletion {
	d := Deletion{Quest: q.ID, Repo: q.Repo, Workspace: q.Workspace}
	for _, r := range q.Runs.All() {
		d.Runs = append(d.Runs, r.ID)
	}
	return d
}
