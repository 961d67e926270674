package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"miramundo.dev/shared/site"
)

const (
	leastFlags = 240       // fewer means that the package has changed
	mostBytes  = 1 << 20   // of one file
	licence    = "LICENSE" // which must be copied with the flags
)

// country matches the flags of countries, not of regions or organizations.
var country = regexp.MustCompile(`^[A-Z]{2}\.svg$`)

// copyFlags writes the flags of the package in from, with lower-case names, and the
// licence of the package into the folder to, and removes all other files there. It
// returns the number of files that it wrote.
func copyFlags(from fs.FS, to string) (wrote int, err error) {
	files, err := flagsOf(from)
	if err != nil {
		return 0, err
	}
	if files[licence+".txt"], err = fs.ReadFile(from, licence); err != nil {
		return 0, err
	}
	return replace(to, files)
}

// flagsOf returns the flags of the package in from by the names of their files, in
// lower case.
func flagsOf(from fs.FS) (map[string][]byte, error) {
	names, err := fs.Glob(from, "3x2/*.svg")
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !country.MatchString(path.Base(name)) })
	if len(names) < leastFlags {
		return nil, fmt.Errorf("found %d flags, want %d or more: run npm ci", len(names), leastFlags)
	}
	files := map[string][]byte{}
	for _, name := range names {
		data, err := fs.ReadFile(from, name)
		if err == nil {
			err = picture(data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[strings.ToLower(path.Base(name))] = data
	}
	return files, nil
}

// flagSprite returns an SVG that has the flags of one of the two files that package site
// names, each as a symbol that is named by the code of its country, from the packages in
// modules. A page of all countries needs two requests in place of one for each flag.
func flagSprite(modules fs.FS, file string) ([]byte, error) {
	from, err := fs.Sub(modules, "country-flag-icons")
	if err != nil {
		return nil, err
	}
	files, err := flagsOf(from)
	if err != nil {
		return nil, fmt.Errorf("country-flag-icons: %w", err)
	}
	var b bytes.Buffer
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg">`)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if site.FlagFile(strings.TrimSuffix(name, ".svg")) != file {
			continue
		}
		if err := addFlag(&b, strings.TrimSuffix(name, ".svg"), files[name]); err != nil {
			return nil, fmt.Errorf("country-flag-icons: %s: %w", name, err)
		}
	}
	b.WriteString(`</svg>`)
	return b.Bytes(), nil
}

// addFlag writes a flag as a symbol. A flag whose parts have names is an error: in
// one file the same name may mean two things.
func addFlag(b *bytes.Buffer, code string, data []byte) error {
	var root struct {
		ViewBox string `xml:"viewBox,attr"`
	}
	if err := xml.Unmarshal(data, &root); err != nil {
		return err
	}
	if root.ViewBox == "" || bytes.Contains(data, []byte(` id="`)) {
		return errors.New("has no viewBox, or names its parts")
	}
	inner, err := innerXML(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, `<symbol id="%s" viewBox="%s">%s</symbol>`, code, html.EscapeString(root.ViewBox), inner)
	return nil
}

// active are the SVG elements that run or embed something.
var active = []string{"script", "foreignObject", "iframe", "image", "a", "animate", "set", "handler"}

// picture returns an error for an SVG that is not well-formed, or that runs or loads
// anything.
func picture(data []byte) error {
	if len(data) > mostBytes {
		return fmt.Errorf("has %d bytes, more than %d", len(data), mostBytes)
	}
	root := ""
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if el, ok := token.(xml.StartElement); ok {
			if root == "" {
				root = el.Name.Local
			}
			if err := still(el); err != nil {
				return err
			}
		}
	}
	if root != "svg" {
		return fmt.Errorf("is a document of %q, not an svg", root)
	}
	return nil
}

func still(el xml.StartElement) error {
	if slices.Contains(active, el.Name.Local) {
		return fmt.Errorf("has an element %s", el.Name.Local)
	}
	for _, a := range el.Attr {
		outward := a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#")
		if outward || strings.HasPrefix(strings.ToLower(a.Name.Local), "on") || strings.Contains(a.Value, "url(h") {
			return fmt.Errorf("has an attribute %s=%q", a.Name.Local, a.Value)
		}
	}
	return nil
}
