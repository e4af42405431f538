// Package record defines what the server keeps besides quests: settings, trust in
// repositories, drafts, shares, the audit log, places of trees. It has their types and
// checks. No rule of a quest reads them. Package orchestration defines quests, and
// package store keeps both.
package record
