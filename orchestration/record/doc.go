// Package record holds what the server keeps and no rule looks at: settings, trust in
// repositories, drafts, shares, the audit log, places of trees. What a quest is stands
// in package orchestration.
package record
