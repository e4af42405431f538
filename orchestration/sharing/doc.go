// Package sharing makes, finds and ends the links by which teammates watch a
// quest. A link's token has 256 bits and is told once; its hash alone is kept.
package sharing
