// Assets takes from the npm packages what the build embeds: the flags of
// countries.
//
// It reads what `npm ci` installed, refuses what is not a plain picture, and
// writes only files that differ, so that a build after it is not done again
// for nothing.
package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	from := flag.String("from", "node_modules/flag-icons", "folder of the installed package flag-icons")
	to := flag.String("to", "functions/media/flags", "folder that the build embeds")
	flag.Parse()
	log.SetFlags(0)
	n, err := copyFlags(os.DirFS(*from), *to)
	if err != nil {
		log.Fatalf("assets: %v", err)
	}
	if n > 0 {
		log.Printf("assets: wrote %d files into %s", n, *to)
	}
}

const (
	leastFlags = 240       // fewer means that the package is not what it was
	mostBytes  = 1 << 20   // of one file
	licence    = "LICENSE" // which must go wherever the flags go
)

// country matches the flags of countries, not of regions or organizations.
var country = regexp.MustCompile(`^[a-z]{2}\.svg$`)

// copyFlags writes the flags of the package in from, and its licence, into the
// folder to. It returns how many files it wrote.
func copyFlags(from fs.FS, to string) (wrote int, err error) {
	names, err := fs.Glob(from, "flags/4x3/*.svg")
	if err != nil {
		return 0, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !country.MatchString(path.Base(name)) })
	if len(names) < leastFlags {
		return 0, fmt.Errorf("found %d flags, want %d or more: run npm ci", len(names), leastFlags)
	}
	for _, name := range append(names, licence) {
		data, err := fs.ReadFile(from, name)
		if err == nil && name != licence {
			err = picture(data)
		}
		if err != nil {
			return wrote, fmt.Errorf("%s: %w", name, err)
		}
		target := filepath.Join(to, strings.Replace(path.Base(name), licence, licence+".txt", 1))
		if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, data) {
			continue
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return wrote, err
		}
		wrote++
	}
	return wrote, nil
}

// active are elements that make an SVG more than a picture.
var active = []string{"script", "foreignObject", "iframe", "image", "a", "animate", "set", "handler"}

// picture refuses an SVG that is not well-formed, or that runs or loads
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
