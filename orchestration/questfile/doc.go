// Package questfile reads and writes the quest file: one quest with its history as one
// JSON document, to move it to another server or to archive it. It defines the format.
// Packages service and cmd/server export and import quests with it.
//
//	{"format": "questboard-quest", "version": 1, "quest": {…}, "events": […]}
//
// What belongs to one host is left out: process ids, host and boot ids, hashes of
// tokens. A run that was in progress when the file was written is still in progress in
// the file; an import treats it as after a restart.
//
// A file may come from anywhere. Decode refuses unknown fields, references to missing
// things, and every state that the rules cannot reach.
package questfile

const (
	// Format distinguishes the document from other JSON.
	Format = "questboard-quest"
	// Version grows when a reader of the old version would misread the file.
	Version = 1
)
