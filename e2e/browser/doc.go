// Package browser tests the pages as people see them: in Chromium, by keyboard, on a
// phone, and with axe-core. It has tests only. The rules are tested in package
// orchestration, single pages in package web.
package browser
