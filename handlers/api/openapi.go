package api

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

//go:embed openapi/*.yaml
var pages embed.FS

// OpenAPI returns the OpenAPI 3.1 document as JSON. Its source is openapi/*.yaml, which is
// written by hand. The values of enumerations come from the core. Tests compare the
// document with the routes and the answers.
func OpenAPI(version string) ([]byte, error) {
	parts := []string{"head", "paths_quests", "paths_delivery", "paths_shares", "paths_drafts", "paths_channels", "paths_hosts", "paths_runs",
		"schemas_requests", "schemas_quest", "schemas_delivery", "schemas_shares", "schemas_drafts", "schemas_channels", "schemas_hosts",
		"schemas_answers"}
	var text bytes.Buffer
	for _, part := range parts {
		page, err := pages.ReadFile("openapi/" + part + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("read openapi part %s: %w", part, err)
		}
		text.Write(page)
	}
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(lists.Replace(text.String())), &doc); err != nil {
		return nil, fmt.Errorf("parse openapi document: %w", err)
	}
	doc["info"].(map[string]any)["version"] = version
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode openapi document: %w", err)
	}
	return data, nil
}

// lists replaces the placeholders of openapi/*.yaml with the enumerations of the core.
var lists = strings.NewReplacer(
	"$roles", yamlWords(orchestration.Roles), "$stages", yamlWords(orchestration.Stages), "$phases", yamlWords(orchestration.Phases),
	"$agents", yamlWords(slices.DeleteFunc(slices.Clone(orchestration.Roles), func(r orchestration.Role) bool { return !r.Agent() })),
	"$statuses", yamlWords(orchestration.Statuses), "$states", yamlWords(orchestration.RunStates), "$outcomes",
	yamlWords(orchestration.Outcomes),
	"$starts", yamlWords(orchestration.StartKinds), "$prices", yamlWords(orchestration.PriceKinds), "$signals",
	yamlWords(orchestration.SignalKinds), "$blocks", yamlWords(orchestration.BlockKinds),
	"$findings", yamlWords(orchestration.FindingStates), "$remarks", yamlWords(orchestration.RemarkKinds),
	"$holds", yamlWords(orchestration.Holds), "$accountHolds", yamlWords(orchestration.HoldKinds), "$waits",
	yamlWords(orchestration.WaitKinds),
	"$needs", yamlWords(orchestration.NeedKinds), "$gates", yamlWords(orchestration.Gates), "$baselines", yamlWords(orchestration.Baselines),
	"$proofs", yamlWords(orchestration.ProofStates), "$evidence", yamlWords(orchestration.EvidenceKinds), "$walls",
	yamlWords(orchestration.Walls), "$decisions", yamlWords(orchestration.CallDecisions),
	"$checks", yamlWords(orchestration.CheckedWords), "$workspaces", yamlWords(orchestration.WorkspaceModes), "$efforts",
	yamlWords(record.Efforts), "$forkers", yamlWords(orchestration.ForkingRoles),
	"$sizes", yamlWords(orchestration.Sizes), "$sieges", yamlWords(orchestration.Sieges),
	"$risks", yamlWords(orchestration.Risks), "$noSieges", yamlWords(orchestration.NoSieges),
	"$channelKinds", yamlWords(record.ChannelKinds), "$levels", yamlWords(record.Levels),
)

func yamlWords[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, word := range list {
		words[i] = strconv.Quote(string(word))
	}
	return strings.Join(words, ", ")
}

func (h handlers) openAPI(c echo.Context) error {
	document, err := h.document()
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, document)
}
