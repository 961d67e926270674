package machine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"miramundo.dev/miramundo/datafolder"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/origin"
)

// Names of catalogs that are no folders, as shared/config has them.
const (
	Live   = "live"
	Sample = "sample"
)

// A Choice is the catalog that the machine serves, and why it is that one.
type Choice struct {
	Name string // Live, Sample, or the path of a folder
	Why  string // as words after the name
}

// probeTime is how long a live source may take to show that it answers.
const probeTime = 5 * time.Second

// Choose returns the catalog that was asked for: Live, Sample or a folder. Without a
// wish it is the live one when its source answers, and else the sample.
func Choose(ctx context.Context, wish string, c config.Config) (Choice, error) {
	return choose(ctx, wish, probe(c))
}

// choose is Choose with what asks the live source.
func choose(ctx context.Context, wish string, answers func(context.Context) error) (Choice, error) {
	switch wish {
	case "":
		ctx, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		if err := answers(ctx); err != nil {
			return Choice{Sample, fmt.Sprintf("the live sources do not answer: %v", err)}, nil
		}
		return Choice{Live, "its sources answer"}, nil
	case Live, Sample:
		return Choice{wish, "asked for"}, nil
	}
	dir, err := filepath.Abs(wish)
	if err != nil {
		return Choice{}, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Choice{}, fmt.Errorf("the catalog %s is neither live, nor sample, nor a folder (-catalog, CATALOG)", wish)
	}
	return Choice{dir, "asked for"}, nil
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

// A Mark remembers which catalog the data folder was last loaded from, so that
// another one may take its place whole: between two reloads of one catalog, to
// lose half of it is a defect; between two catalogs it is meant. It is the path of a
// file; the empty Mark remembers nothing.
type Mark string

// MarkIn returns the mark of a data folder.
func MarkIn(data string) Mark { return Mark(filepath.Join(data, datafolder.CatalogFile)) }

// Was reports whether name is the last catalog's.
func (m Mark) Was(name string) bool {
	text, err := os.ReadFile(string(m))
	return err == nil && strings.TrimSpace(string(text)) == name
}

// set remembers name. Without a folder that outlives the machine there is nothing
// to remember.
func (m Mark) set(name string) error {
	if m == "" {
		return nil
	}
	return os.WriteFile(string(m), []byte(name+"\n"), 0o600)
}
