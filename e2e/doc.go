// Package e2e tests the server from outside, as a program: its pages and API over HTTP,
// its commands, crashes, restarts and damaged disks. It has tests only. Tests in a
// browser are in e2e/browser, and what both share is in e2e/e2etest.
package e2e
