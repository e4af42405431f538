package api

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/goccy/go-yaml"
	"github.com/labstack/echo/v4"
)

//go:embed openapi/*.yaml
var pages embed.FS

// OpenAPI returns the OpenAPI 3.1 document as JSON. It is written by hand in
// openapi/*.yaml, in parts that a person can read; tests hold it true to the
// routes and to the answers.
func OpenAPI(version string) ([]byte, error) {
	parts := []string{"head", "paths_quests", "paths_delivery", "paths_shares", "paths_drafts", "paths_runs", "schemas_requests", "schemas_quest", "schemas_delivery", "schemas_shares", "schemas_drafts", "schemas_answers"}
	var text bytes.Buffer
	for _, part := range parts {
		page, err := pages.ReadFile("openapi/" + part + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("read openapi part %s: %w", part, err)
		}
		text.Write(page)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text.Bytes(), &doc); err != nil {
		return nil, fmt.Errorf("parse openapi document: %w", err)
	}
	doc["info"].(map[string]any)["version"] = version
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode openapi document: %w", err)
	}
	return data, nil
}

func (h handlers) openAPI(c echo.Context) error {
	document, err := h.document()
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, document)
}
