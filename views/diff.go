package views

// Diff is the page of the changes of a step or of the whole quest.
type Diff struct {
	Frame   Frame
	Heading string
	Step    *Step // the step, shown above its diff; nil: the diff is the whole quest's
	Read    Clock // when the diff was read; it is not updated
	Here    string

	Notice *DiffNotice
	Notes  []string   // remarks about the diff, such as that it was cut
	Empty  *DiffEmpty // why there is no diff
	Fault  string     // why the comments were not sent
	Total  DiffCount  // of all files
	Split  bool       // two columns
	Views  []Link     // unified and split; Settled: the current one
	Raw    string     // URL of the patch
	Pages  DiffPages  // which part of a long diff this is
	Tree   []DiffNode // of the files on this page
	Files  []DiffFile // on this page
	Form   CommentForm
}

// DiffCount counts changes.
type DiffCount struct {
	Files, Added, Removed int
}

// DiffNotice says what happened to comments that were sent.
type DiffNotice struct {
	Text string
	Link *Link
}

// DiffEmpty replaces a diff: why there is none, and what to do.
type DiffEmpty struct {
	Text    string
	Remedy  string
	Command string // a command to copy
	Links   []Link
}

// DiffPages has links to the pages of a long diff. Words is empty if there is only one.
type DiffPages struct {
	Words          string
	Previous, Next string
	All            string // from one file back to all
}

// DiffNode is a folder or a file in the tree.
type DiffNode struct {
	Name           string
	URL            string // empty for a folder
	Added, Removed int
	Undeclared     bool
	Nodes          []DiffNode
}

// DiffFile is one file of a diff.
type DiffFile struct {
	Key            string // names the file in URLs and ids
	Hash           string // of the change: a tick "viewed" counts only for this hash
	Path           string
	Name           string // the file's path, quoted for a form
	Remarks        []string
	Undeclared     bool
	Steps          []Link // the merged steps that changed it, in a whole quest's diff: the first few
	MoreSteps      int    // and how many more
	Added, Removed int
	URL            string // shows only this file
	More           []Link // show it with more unchanged lines
	Folded         string // why it is not shown here
	Plain          string // the patch as text if it cannot be shown by lines
	Rows           []DiffRow
	Pairs          []DiffPair // the same for two columns; they point into Rows
	On             string     // names the whole file in a comment
	Comments       []Comment  // on the whole file
}

// Row returns the row with this name (DiffRow.On), or nil.
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
	Old, New int // line numbers; 0: not in that version
	Text     string
	Pieces   []Piece // the text with colours and marks; empty: it has none
	Cut      string  // how much of the line was cut off
	NoEnd    bool    // the file ends here without a line end
	On       string  // names the line in a comment
	By       string  // the step that wrote this line and the next ones; "": as the line before, or nothing is said
	Comments []Comment
}

// DiffPair is a row of two columns. A hunk is only in Left.
type DiffPair struct {
	Left, Right *DiffRow
}

// CommentForm is the form around the files. It has the comments whose lines are not on
// this page.
type CommentForm struct {
	Action    string // the URL that takes the form; empty: no comments are taken
	Show      string // takes the form and only opens one more comment
	Query     string // the query of links that open a comment
	File      string // which part of the diff this is
	Page      int
	Around    int
	Draft     string // the key under which the browser stores unsent comments
	Count     int    // number of comments that the server put into the page
	Buttons   bool   // line numbers are buttons, so that what was typed is sent along
	Elsewhere []Comment
	Closed    string // why no comments are taken
	Hint      string // what happens to the comments
}

// Comment is a comment that is being written.
type Comment struct {
	ID    string
	Where string // the place in words
	File  string // as DiffFile.Name
	At    string // n12, o12 (a removed line), or f for the whole file
	Quote string
	Text  Field
	Focus bool
}
