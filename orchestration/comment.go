package orchestration

// Comment is what a reader wrote beside a line of a diff.
type Comment struct {
	File  string // relative to the repository
	Line  int    // from 1; 0: the whole file
	Old   bool   // the line is one that was removed: Line counts in the file before
	Quote string // the line as it stands in the diff; may be empty
	Text  string
}

func (e *edit) comment(CommentsSent) error { return invalid("comments are not taken yet") }
