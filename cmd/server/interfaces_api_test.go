package main_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/api"
)

// object is a JSON object.
type object = map[string]any

// openAPI is the document that the server serves.
type openAPI struct {
	t   *testing.T
	doc object
}

func readOpenAPI(t *testing.T) openAPI {
	t.Helper()
	text, err := api.OpenAPI("test")
	doc := object{}
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return openAPI{t, doc}
}

// at follows keys and references. It returns nil if there is nothing.
func (d openAPI) at(v any, keys ...string) any {
	for {
		o, _ := v.(object)
		if ref, is := o["$ref"].(string); is {
			v = d.at(d.doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
			continue
		}
		if len(keys) == 0 {
			return v
		}
		v, keys = o[keys[0]], keys[1:]
	}
}

// fields returns the names of a schema's properties, with ? after optional ones.
func (d openAPI) fields(schema any) (names []string) {
	properties, _ := d.at(schema, "properties").(object)
	required, _ := d.at(schema, "required").([]any)
	for field := range properties {
		if !slices.Contains(required, any(field)) {
			field += "?"
		}
		names = append(names, field)
	}
	return names
}

func apiThings(t *testing.T) map[string]thing {
	_, routes := routed(t)
	d := readOpenAPI(t)
	things := map[string]thing{}
	for _, r := range routes {
		method, path, _ := strings.Cut(r, " ")
		item := d.at(d.doc, "paths", path)
		op := d.at(item, strings.ToLower(method))
		if op == nil {
			t.Errorf("the OpenAPI document has no %s", r)
			continue
		}
		fields := d.fields(d.at(op, "requestBody", "content", "application/json", "schema"))
		for _, list := range []any{d.at(item, "parameters"), d.at(op, "parameters")} {
			parameters, _ := list.([]any)
			for _, p := range parameters {
				if d.at(p, "in") != "query" {
					continue
				}
				field := d.at(p, "name").(string)
				if d.at(p, "required") != true {
					field += "?"
				}
				fields = append(fields, field)
			}
		}
		things[r] = thing{"fields": fields, "answer": d.answers(op)}
	}
	return things
}

// answers returns the successful answers of an operation: the status, and the schema or
// type of the body.
func (d openAPI) answers(op any) (all []string) {
	for status, response := range d.at(op, "responses").(object) {
		content, _ := d.at(response, "content").(object)
		switch {
		case status == "default":
			continue
		case len(content) == 0:
			all = append(all, status)
		}
		for kind, body := range content {
			schema, _ := body.(object)["schema"].(object)
			if ref, is := schema["$ref"].(string); is {
				kind = strings.TrimPrefix(ref, "#/components/schemas/")
			}
			all = append(all, status+" "+kind)
		}
	}
	return all
}

func schemaThings(t *testing.T, names ...string) map[string]thing {
	d := readOpenAPI(t)
	things := map[string]thing{}
	for _, n := range names {
		things[n] = thing{"fields": d.fields(d.at(d.doc, "components", "schemas", n))}
	}
	return things
}

// errorThings are the codes of errors with their statuses.
func errorThings(t *testing.T) map[string]thing {
	d := readOpenAPI(t)
	things := map[string]thing{}
	for _, code := range d.at(d.doc, "components", "schemas", "Error", "properties", "error", "properties", "code", "enum").([]any) {
		things[code.(string)] = thing{}
	}
	for _, status := range []int{400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503} {
		code := api.FaultOf(echo.NewHTTPError(status, "")).Code
		if things[code] == nil {
			t.Fatalf("the OpenAPI document does not know the code %s of the status %d", code, status)
		}
		things[code]["status"] = append(things[code]["status"], strconv.Itoa(status))
	}
	return things
}
