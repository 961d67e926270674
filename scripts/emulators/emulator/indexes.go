package emulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
)

// ErrIndexes is returned by Missing when an index is not declared. The cloud
// refuses the queries that need it; the emulator does not.
var ErrIndexes = errors.New("indexes that queries need are not in firestore.indexes.json")

// An Index is a composite index, in the form of firestore.indexes.json.
type Index struct {
	Collection string  `json:"collectionGroup"`
	Scope      string  `json:"queryScope"`
	Fields     []Field `json:"fields"`
}

// A Field is one field of an index.
type Field struct {
	Path  string `json:"fieldPath"`
	Order string `json:"order,omitempty"`       // ASCENDING or DESCENDING
	Array string `json:"arrayConfig,omitempty"` // CONTAINS
}

// key returns the index as one comparable line. The name of the document,
// which the cloud adds by itself, is left out.
func (x Index) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", x.Collection, x.Scope)
	for _, f := range x.Fields {
		if f.Path != "__name__" {
			fmt.Fprintf(&b, " %s:%s%s", f.Path, f.Order, f.Array)
		}
	}
	return b.String()
}

// Declared reads the indexes of a firestore.indexes.json.
func Declared(file string) ([]Index, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var v struct {
		Indexes []Index `json:"indexes"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return v.Indexes, nil
}

// Needed asks the Firestore emulator at host which composite indexes the
// queries of a project would have needed in the cloud, so far.
func Needed(ctx context.Context, host, project string) ([]Index, error) {
	url := fmt.Sprintf("http://%s/emulator/v1/projects/%s:indexUsage?database=projects/%s/databases/(default)", host, project, project)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 16<<20))
	if err != nil || res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("index usage: %s %w", res.Status, err)
	}
	return usage(body)
}

// usage reads the emulator's report. It names an index as
// ".../collectionGroups/things/indexes/_".
func usage(body []byte) (needed []Index, err error) {
	var v struct {
		Reports []struct {
			Index struct {
				Index
				Name string `json:"name"`
			} `json:"index"`
		} `json:"reports"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("index usage: %w", err)
	}
	for _, r := range v.Reports {
		x := r.Index.Index
		_, rest, _ := strings.Cut(r.Index.Name, "/collectionGroups/")
		x.Collection, _, _ = strings.Cut(rest, "/")
		needed = append(needed, x)
	}
	return needed, nil
}

// Missing returns ErrIndexes, with their names, when some of the needed
// indexes are not declared.
func Missing(needed, declared []Index) error {
	var missing []string
	for _, x := range needed {
		same := func(d Index) bool { return d.key() == x.key() }
		if !slices.ContainsFunc(declared, same) {
			missing = append(missing, x.key())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrIndexes, strings.Join(missing, "; "))
}
