// Package sharing makes, finds and ends the links through which teammates watch a
// quest. It owns the tokens: each has 256 random bits, is shown once, and only its hash
// is stored. What a link shows is decided in package handlers.
package sharing
