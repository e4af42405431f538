package views

// Diff is the page that shows what a step, or the whole quest, changed.
type Diff struct {
	Frame    Frame
	Heading  string
	QuestURL string
	Quest    string
	Step     *Step // the step's state above its diff; nil: the whole quest's
	State    State // of the quest, where Step is nil
	Read     Clock // when the diff was read: it does not change by itself
	Here     string

	Notice *DiffNotice
	Notes  []string    // what is to be known of this diff: that it was cut
	Empty  *DiffEmpty  // why there is nothing to show
	Fault  string      // why the comments were not sent
	Total  DiffCount   // of all files
	Split  bool        // two columns
	Views  []Link      // unified and split; Settled: the one that is shown
	Raw    string      // URL of the patch
	Pages  DiffPages   // where in a long diff this is
	Tree   []DiffNode  // of the files on this page
	Files  []DiffFile  // those of this page
	Form   CommentForm // empty Action: no comments are taken
}

// DiffCount is how much changed.
type DiffCount struct {
	Files, Added, Removed int
}

// DiffNotice says what became of comments that were sent.
type DiffNotice struct {
	Text string
	Link *Link
}

// DiffEmpty stands where there is no diff: what is so, and what to do.
type DiffEmpty struct {
	Text    string
	Remedy  string
	Command string // to copy
	Links   []Link
}

// DiffPages leads through a diff that is too long for one page. Words are
// empty where it is not.
type DiffPages struct {
	Words          string
	Previous, Next string
	All            string // from one file back to all
}

// DiffNode is a folder or a file in the tree.
type DiffNode struct {
	Name           string
	URL            string // empty: a folder
	Added, Removed int
	Undeclared     bool
	Nodes          []DiffNode
}

// DiffFile is one file of a diff.
type DiffFile struct {
	Key            string // names the file in URLs and ids
	Hash           string // of what changed: a "viewed" of something else does not count
	Path           string
	Name           string // the file's path for a form, whatever it holds
	Remarks        []string
	Undeclared     bool
	Added, Removed int
	URL            string // shows this file alone
	Folded         string // why it is not shown here
	Plain          string // the patch as text, where it cannot be laid out
	Rows           []DiffRow
	Pairs          []DiffPair // the same for two columns; they point into Rows
	On             string     // names the file as a whole in a comment
	Comments       []Comment  // on the file as a whole
}

// Row is the row of that name (DiffRow.On), or nil.
func (f *DiffFile) Row(on string) *DiffRow {
	for i := range f.Rows {
		if f.Rows[i].On == on {
			return &f.Rows[i]
		}
	}
	return nil
}

// DiffRow is one line. Kind is add, del, same or hunk.
type DiffRow struct {
	Kind     string
	Old, New int // line numbers; 0: not there
	Text     string
	Cut      string // how much of the line is left out
	NoEnd    bool   // the file ends here without a line end
	On       string // names the line in a comment
	Comments []Comment
}

// DiffPair is a row of two columns. A hunk stands in Left alone.
type DiffPair struct {
	Left, Right *DiffRow
}

// CommentForm is the form around the files, with the comments whose lines are
// not on this page.
type CommentForm struct {
	Action    string
	Show      string // takes the same form and only opens one more comment
	Query     string // of links that open a comment
	File      string // where in the diff this is
	Page      int
	Draft     string // where the browser keeps what is not sent yet
	Count     int    // comments that the server put into the page
	Buttons   bool   // lines are chosen by buttons: what was typed goes along
	Elsewhere []Comment
	Closed    string // why no comments are taken
	Hint      string // what becomes of them
}

// Comment is one comment being written.
type Comment struct {
	ID    string
	Where string // in words
	File  string // as DiffFile.Name
	At    string // n12, o12 (a removed line), or f for the file as a whole
	Quote string
	Text  Field
	Focus bool
}
