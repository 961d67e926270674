package api

import (
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"miramundo.dev/shared/api/input"
)

// FileWildcard is the last segment of the path of an endpoint with Files.
const FileWildcard = "/{file}"

// A File is one of the files that an endpoint serves, each in its own media type.
// The router knows them as one path; a description has an operation for each.
type File struct {
	Name     string // of its operation, such as get_library_feed_m3u
	Segment  string // stands for {file}, such as library.m3u; it may begin with a wildcard, such as {category}.m3u
	Wildcard string // description of that wildcard
	Media    string // application/json means the shape of the endpoint's result
	Summary  string
	Doc      string
}

// contentType is the type of a result in a media type other than JSON.
var contentType = reflect.TypeFor[Content]()

var wildcardName = regexp.MustCompile(`^\{(\w+)\}`)

// PerFile returns a table in which each endpoint with Files is replaced by one
// operation for each of them. The operations are descriptions: they cannot be
// served.
func PerFile(table []Endpoint) []Endpoint {
	var all []Endpoint
	for _, e := range table {
		if len(e.Files) == 0 {
			all = append(all, e)
		}
		for _, f := range e.Files {
			all = append(all, e.of(f))
		}
	}
	return all
}

// of returns the operation of one file of e.
func (e Endpoint) of(f File) Endpoint {
	plan := *e.plan
	plan.Params = slices.Clone(plan.Params)
	i := slices.IndexFunc(plan.Params, func(p input.Param) bool { return p.In == "path" && p.Name == "file" })
	if m := wildcardName.FindStringSubmatch(f.Segment); m != nil {
		plan.Params[i].Name, plan.Params[i].Doc = m[1], f.Wildcard
	} else {
		plan.Params = slices.Delete(plan.Params, i, i+1)
	}
	e.plan, e.run, e.Files = &plan, nil, nil
	e.Path = strings.TrimSuffix(e.Path, FileWildcard) + "/" + f.Segment
	e.Name, e.Summary, e.Doc = f.Name, f.Summary, f.Doc
	e.Produces = nil
	if f.Media != "application/json" {
		e.Produces, e.out = []string{f.Media}, contentType
	}
	return e
}

// checkFiles returns why the files of e do not fit its path and its input.
func (e *Endpoint) checkFiles(plan *input.Plan) error {
	if len(e.Files) == 0 {
		return nil
	}
	reads := slices.ContainsFunc(plan.Params, func(p input.Param) bool { return p.In == "path" && p.Name == "file" })
	if e.Method != http.MethodGet || !strings.HasSuffix(e.Path, FileWildcard) || !reads {
		return errFiles
	}
	for _, f := range e.Files {
		if !snakeCase.MatchString(f.Name) || f.Segment == "" || f.Media == "" || f.Summary == "" || f.Doc == "" ||
			wildcardName.MatchString(f.Segment) != (f.Wildcard != "") {
			return errFiles
		}
	}
	return nil
}
