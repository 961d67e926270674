package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"miramundo.dev/scripts/dev/datafolder"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/origin"
)

// Names of catalogs that are no folders, as shared/config has them.
const (
	live   = "live"
	sample = "sample"
)

// A choice is the catalog that the stack serves, and why it is that one.
type choice struct {
	name string // live, sample, or the path of a folder
	why  string
}

// probeTime is how long a live source may take to show that it answers.
const probeTime = 5 * time.Second

// choose returns the catalog that was asked for. Without a wish it is the live
// one when its source answers, and else the sample.
func choose(ctx context.Context, wish string, answers func(context.Context) error) (choice, error) {
	switch wish {
	case "":
		ctx, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		if err := answers(ctx); err != nil {
			return choice{sample, fmt.Sprintf("the live sources do not answer: %v", err)}, nil
		}
		return choice{live, "its sources answer"}, nil
	case live, sample:
		return choice{wish, "asked for"}, nil
	}
	dir, err := filepath.Abs(wish)
	if err != nil {
		return choice{}, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return choice{}, fmt.Errorf("-catalog %s: neither live, nor sample, nor a folder", wish)
	}
	return choice{dir, "asked for"}, nil
}

// probe returns a function that asks the live sources for a small file.
func probe(c config.Config) func(context.Context) error {
	return func(ctx context.Context) error {
		client := origin.New(origin.Options{Timeout: probeTime, Allow: c.OriginAllow})
		res, err := client.Open(ctx, origin.Request{URL: c.IPTVOrg + "/regions.json"})
		if err != nil {
			return err
		}
		return res.Body.Close()
	}
}

// A mark remembers which catalog the data folder was last loaded from, so that
// another one may take its place whole: between two reloads of one catalog, to
// lose half of it is a defect; between two catalogs it is meant.
type mark string

func markIn(data string) mark { return mark(filepath.Join(data, datafolder.CatalogFile)) }

// was reports whether name is the last catalog's.
func (m mark) was(name string) bool {
	text, err := os.ReadFile(string(m))
	return err == nil && strings.TrimSpace(string(text)) == name
}

// set remembers name. Without a folder that outlives the stack there is nothing
// to remember.
func (m mark) set(name string) error {
	if m == "" {
		return nil
	}
	return os.WriteFile(string(m), []byte(name+"\n"), 0o600)
}
