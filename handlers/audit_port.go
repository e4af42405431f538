package handlers

import (
	"context"

	"questboard/orchestration"
)

// AuditEntry says who did what from where.
type AuditEntry = orchestration.AuditEntry

// AuditLoginRefused is the action of a refused login.
const AuditLoginRefused = orchestration.AuditLoginRefused

// QuestOf is the quest of a run or a question.
func QuestOf(id string) string { return orchestration.QuestOf(id) }

// Audit reads who did what from where.
type Audit interface {
	Audit(ctx context.Context, f orchestration.AuditFilter) ([]orchestration.AuditEntry, error)
}
