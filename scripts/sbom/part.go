package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/licensecheck"
)

// A part is a Go module or an npm package that is shipped.
type part struct {
	kind     string // "golang" or "npm", as in package URLs
	name     string
	version  string
	licences []string // their identifiers of SPDX, sorted
	texts    []text   // what its authors ask to be passed on
}

// A text is a file with a licence or a notice.
type text struct {
	name string
	data []byte
}

// allowed are the licences of what is shipped: each lets anybody use and pass on the
// work, also inside of another, when its text goes along.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "CC0-1.0", "ISC", "MIT", "Unlicense"}

// check returns an error that names every part with no licence, or with one that is
// not allowed.
func check(parts []part) error {
	var errs []error
	for i := range parts {
		p := &parts[i]
		if len(p.licences) == 0 {
			errs = append(errs, fmt.Errorf("%s %s has no licence that is known", p.name, p.version))
		}
		for _, l := range p.licences {
			if !slices.Contains(allowed, l) {
				errs = append(errs, fmt.Errorf("%s %s has the licence %s, which is not allowed", p.name, p.version, l))
			}
		}
	}
	return errors.Join(errs...)
}

// component returns p as the bill of materials lists it.
func (p *part) component() cyclonedx.Component {
	var list cyclonedx.Licenses
	for _, id := range p.licences {
		list = append(list, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: id}})
	}
	url := fmt.Sprintf("pkg:%s/%s@%s", p.kind, strings.ReplaceAll(p.name, "@", "%40"), p.version)
	return cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, BOMRef: url, PackageURL: url,
		Name: p.name, Version: p.version, Licenses: &list,
	}
}

// sortParts puts parts into the order in which they are listed.
func sortParts(parts []part) {
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name)) })
}

// notices returns the texts of all parts as one.
func notices(parts []part) []byte {
	var b bytes.Buffer
	b.WriteString("Miramundo contains the works below. Each is followed by what its authors ask to be passed on with it.\n")
	for i := range parts {
		p := &parts[i]
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n", strings.Repeat("=", 78), p.name, p.version, strings.Join(p.licences, ", "))
		for _, t := range p.texts {
			fmt.Fprintf(&b, "\n--- %s\n\n%s\n", t.name, bytes.TrimSpace(t.data))
		}
	}
	return b.Bytes()
}

// legal matches the names of files with a licence, a notice, or a grant beside them.
var legal = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// beside matches those of them that are no licence.
var beside = regexp.MustCompile(`(?i)^(notice|patents)`)

// isCode matches names of programs, such as license.go.
var isCode = regexp.MustCompile(`(?i)\.(go|js|mjs|cjs|ts|json)$`)

// textsOf returns the texts in a folder, sorted by name.
func textsOf(dir string) ([]text, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []text
	for _, e := range entries {
		if !e.Type().IsRegular() || !legal.MatchString(e.Name()) || isCode.MatchString(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, text{e.Name(), data})
	}
	return all, nil
}

// recognized is the share of a text, in percent, that must be the words of licences.
const recognized = 75

// identify returns the licences whose texts are in files of a part, by their words.
func identify(texts []text) []string {
	var ids []string
	for _, t := range texts {
		if beside.MatchString(t.name) {
			continue
		}
		found := licensecheck.Scan(t.data)
		if found.Percent < recognized {
			continue
		}
		for _, m := range found.Match {
			if !slices.Contains(ids, m.ID) {
				ids = append(ids, m.ID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}
