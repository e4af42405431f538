// Package sharing makes, finds and ends the links through which teammates watch a quest.
// Only this package makes tokens: each has 256 random bits and is shown once, and only
// its hash is stored. Package handlers decides what a link shows.
package sharing
