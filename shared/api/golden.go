package api

import (
	"fmt"
	"slices"
	"strings"

	"miramundo.dev/shared/api/input"
)

// Golden shows a table as text, one endpoint after the other with its inputs
// and failures, so that a change to the API is seen in review.
func Golden(table []Endpoint) string {
	var b strings.Builder
	for _, e := range table {
		fmt.Fprintf(&b, "%s: %s %s\n\t%s\n\t%s\n\t%s\n\tauth %s, cache %s, status %d", e.group, e.Method, e.Path, e.Name, e.Summary, e.Doc, e.Auth, e.Cache, e.Status)
		if e.Speaker {
			b.WriteString(", credential optional")
		}
		if e.Credential != "" {
			fmt.Fprintf(&b, ", token %s", e.Credential)
		}
		if e.Credit {
			b.WriteString(", of a credit")
		}
		if e.Budget != nil {
			fmt.Fprintf(&b, ", budget %s", e.Budget.Name)
		}
		for _, p := range e.Prices {
			fmt.Fprintf(&b, ", sells %s", p)
		}
		if e.Tool {
			b.WriteString(", tool")
		}
		if e.Deprecated {
			b.WriteString(", deprecated")
		}
		fmt.Fprintf(&b, "\n\tout %s", strings.Join(append(slices.Clone(e.Produces), e.out.String()), " "))
		for _, f := range e.Files {
			fmt.Fprintf(&b, "\n\tfile %s %s: %s, %s %s", f.Segment, f.Media, f.Name, f.Summary, f.Doc)
		}
		for _, p := range e.plan.Params {
			fmt.Fprintf(&b, "\n\tin %s", show(p))
		}
		for _, r := range e.plan.Raws {
			fmt.Fprintf(&b, "\n\tin body of %s", strings.Join(r.Media, "|"))
		}
		for _, f := range e.AllFaults() {
			fmt.Fprintf(&b, "\n\t%d %s", Status(f.Kind), f.Code)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// show describes an input and its bounds in one line.
func show(p input.Param) string {
	s := fmt.Sprintf("%s %s %s", p.In, p.Name, p.Type)
	if p.Required {
		s += " required"
	}
	if p.Default != "" {
		s += " default " + p.Default
	}
	switch {
	case len(p.Enum) > 0:
		s += " of " + strings.Join(p.Enum, "|")
	case p.Type == "string":
		s += fmt.Sprintf(" length %d..%d", p.MinLength, p.MaxLength)
	}
	if p.Min != nil {
		s += fmt.Sprintf(" from %v", *p.Min)
	}
	if p.Max != nil {
		s += fmt.Sprintf(" to %v", *p.Max)
	}
	if p.Cap != nil {
		s += fmt.Sprintf(" cut at %d", *p.Cap)
	}
	return s
}
