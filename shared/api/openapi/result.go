package openapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
)

// This file describes one endpoint outside of an OpenAPI document, as the tools of an
// MCP server are described: by JSON schemas of which each stands alone.

// A Schema is a JSON schema as a tree of maps, lists and values.
type Schema = map[string]any

// Where an OpenAPI document has its schemas, and where a schema that stands alone has
// those that it refers to.
const (
	componentsPath  = "#/components/schemas/"
	DefinitionsPath = "#/$defs/"
)

// Input returns the schema of the values that an input may have.
func Input(p input.Param) Schema { return schemaOf(p) }

// Result returns the schema of the JSON object that is the result of e, with the
// schemas of named types in $defs. It returns nil when the result is anything else,
// such as a list, a file or nothing.
func Result(e api.Endpoint) (Schema, error) {
	b := newBuilder(Info{}, nil)
	var r openapi31.Response
	if err := b.content(e, reflect.New(e.Output()).Elem().Interface(), &r); err != nil {
		return nil, err
	}
	media, ok := r.Content[jsonMedia]
	if !ok {
		return nil, b.clash
	}
	root, err := tree(media.Schema)
	if err != nil {
		return nil, err
	}
	defs := Schema{}
	if c := b.reflector.Spec.Components; c != nil {
		if defs, err = tree(c.Schemas); err != nil {
			return nil, err
		}
	}
	if ref, ok := root["$ref"].(string); ok {
		root, _ = defs[strings.TrimPrefix(ref, DefinitionsPath)].(Schema)
	}
	if root["type"] != "object" {
		return nil, b.clash
	}
	root = maps.Clone(root) // which is one of defs
	root["$defs"] = defs
	return root, b.clash
}

// tree returns a part of a document as a tree whose references lead to $defs. Numbers
// keep the text that they had.
func tree(part any) (Schema, error) {
	text, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(text, []byte(componentsPath), []byte(DefinitionsPath))))
	d.UseNumber()
	var s Schema
	err = d.Decode(&s)
	return s, err
}
