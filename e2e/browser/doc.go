// Package browser holds the tests that see the pages as people do: in
// Chromium, by keyboard, on a phone, and through axe-core.
package browser
