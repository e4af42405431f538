// Package questfile reads and writes the quest file: one quest with its
// history as one JSON document, to carry it elsewhere or to keep it.
//
//	{"format": "questboard-quest", "version": 1, "quest": {…}, "events": […]}
//
// What belongs to one host alone stays behind: process ids, host and boot ids,
// hashes of tokens. A run that was going when the file was written reads as
// going; whoever imports the quest treats it as after a restart.
//
// A file may come from anywhere: Decode refuses unknown fields, references to
// what is not there, and any state that the rules could not have reached.
package questfile

const (
	// Format tells the document from other JSON.
	Format = "questboard-quest"
	// Version grows when a reader of the old one would get it wrong.
	Version = 1
)
