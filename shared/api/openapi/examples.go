package openapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/swaggest/openapi-go/openapi31"
)

// Examples show calls as they were made of a sample catalog. The document holds
// those of the operations that it describes.

// Examples are examples of calls and of failures.
type Examples struct {
	Calls    map[string]Call           `json:"calls"`    // by the names of operations
	Failures map[string]map[string]any `json:"failures"` // the members of a failure besides error and message, by code
}

// A Call is one call of an operation and its successful responses.
type Call struct {
	Params  map[string]string         `json:"params,omitempty"`  // values of parameters, by name
	Request map[string]any            `json:"request,omitempty"` // bodies of the request, by media type
	Answers map[string]map[string]any `json:"answers,omitempty"` // bodies of the responses, by status and media type
}

// jsonMedia is the media type of results without another.
const jsonMedia = "application/json"

// addExamples sets the example of each media type of content, where there is one.
// Text types that are described without their own example take that of another of
// the same kind.
func addExamples(content map[string]openapi31.MediaType, bodies map[string]any) {
	for media, c := range content {
		body, ok := bodies[media]
		if !ok && media != jsonMedia {
			body, ok = anyText(bodies)
		}
		if ok {
			c.Example = &body
			content[media] = c
		}
	}
}

// anyText returns the first body in a media type other than JSON.
func anyText(bodies map[string]any) (any, bool) {
	for _, media := range slices.Sorted(maps.Keys(bodies)) {
		if !strings.HasPrefix(media, jsonMedia) {
			return bodies[media], true
		}
	}
	return nil, false
}
