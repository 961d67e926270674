package firestore_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"miramundo.dev/shared/store"
)

// A client calls the emulator over REST as a browser or an app would call the cloud.
type client struct {
	t         *testing.T
	documents string // the address of the documents of a project
	bearer    string // "" for nobody, "owner" for a server
}

// call returns the status of a call with a body of JSON, or without one.
func (c client) call(method, path string, body any) int {
	c.t.Helper()
	var text string
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		text = string(b)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.documents+path, strings.NewReader(text))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode
}

// An attempt is one way to reach the document at a path, or its collection.
type attempt struct {
	name, method, path string
	body               any
}

// attempts are the ways by which clients read, list, write and delete.
func attempts(project string, p store.Path) []attempt {
	collection, id, _ := p.Split()
	cut := strings.LastIndex("/"+string(collection), "/")
	parent, group := strings.TrimSuffix(("/" + string(collection))[:cut], "/"), string(collection)[cut:]
	name := fmt.Sprintf("projects/%s/databases/(default)/documents/%s", project, p)
	fields := map[string]any{"fields": map[string]any{"n": map[string]any{"integerValue": "7"}}}
	query := map[string]any{"from": []any{map[string]any{"collectionId": group}}}
	writes := func(w map[string]any) any { return map[string]any{"writes": []any{w}} }
	return []attempt{
		{"read", "GET", "/" + string(p), nil},
		{"read several", "POST", ":batchGet", map[string]any{"documents": []string{name}}},
		{"list", "GET", "/" + string(collection), nil},
		{"query", "POST", parent + ":runQuery", map[string]any{"structuredQuery": query}},
		{"count", "POST", parent + ":runAggregationQuery", map[string]any{"structuredAggregationQuery": map[string]any{
			"structuredQuery": query, "aggregations": []any{map[string]any{"alias": "n", "count": map[string]any{}}}}}},
		{"create", "POST", "/" + string(collection) + "?documentId=another-" + id, fields},
		{"write", "PATCH", "/" + string(p), fields},
		{"commit a write", "POST", ":commit", writes(map[string]any{"update": map[string]any{"name": name}})},
		{"commit a deletion", "POST", ":commit", writes(map[string]any{"delete": name})},
		{"delete", "DELETE", "/" + string(p), nil},
	}
}

// token returns the token of a signed-in user as the emulator takes it: without a
// signature.
func token(t *testing.T, project string) string {
	t.Helper()
	part := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	return part(map[string]string{"alg": "none", "typ": "JWT"}) + "." + part(map[string]any{
		"sub": "ana", "user_id": "ana", "aud": project, "iss": "https://securetoken.google.com/" + project,
		"iat": 0, "auth_time": 0, "exp": int64(1) << 33, "email": "ana@mira.example", "email_verified": true,
		"firebase": map[string]any{"sign_in_provider": "password"},
	}) + "."
}

// TestRules loads firestore.rules, and lets visitors and signed-in users try every
// way to each collection: all are refused. Rules that allow everything let the same
// calls pass, so that it is the rules that refuse.
func TestRules(t *testing.T) {
	host := emulator(t)
	rules, err := os.ReadFile("../../../firestore.rules")
	if err != nil {
		t.Fatal(err)
	}
	open := strings.Replace(string(rules), "if false", "if true", 1)
	for name, c := range map[string]struct {
		rules string
		want  int
	}{"ours": {string(rules), http.StatusForbidden}, "open": {open, http.StatusOK}} {
		t.Run(name, func(t *testing.T) {
			project := newProject()
			load(t, host, project, c.rules)
			db := openProject(t, project)
			paths := documented(t)
			if c.want == http.StatusOK {
				paths = paths[:2]
			}
			for _, p := range paths {
				for _, bearer := range []string{"", token(t, project)} {
					checkRules(t, client{t, "http://" + host + "/v1/projects/" + project + "/databases/(default)/documents", bearer}, db, project, p, c.want)
				}
			}
		})
	}
}

// checkRules makes every attempt at the document at p, which is there.
func checkRules(t *testing.T, c client, db store.DB, project string, p store.Path, want int) {
	t.Helper()
	collection, id, _ := p.Split()
	for _, a := range attempts(project, p) {
		if err := db.Set(t.Context(), p, balance{1}); err != nil {
			t.Fatal(err)
		}
		if err := db.Delete(t.Context(), collection.Join("another-"+id)); err != nil {
			t.Fatal(err)
		}
		if got := c.call(a.method, a.path, a.body); got != want {
			t.Errorf("%s of %s (signed in: %t) answers %d, want %d", a.name, p, c.bearer != "", got, want)
		}
	}
	if want == http.StatusOK {
		return
	}
	var kept balance
	if err := db.Get(t.Context(), p, &kept); err != nil || kept.N != 1 {
		t.Errorf("%s holds %+v after it was refused, %v", p, kept, err)
	}
}

// load gives a project of the emulator its rules.
func load(t *testing.T, host, project, rules string) {
	t.Helper()
	server := client{t, "http://" + host, "owner"}
	body := map[string]any{"rules": map[string]any{"files": []any{map[string]string{"name": "firestore.rules", "content": rules}}}}
	if got := server.call("PUT", "/emulator/v1/projects/"+project+":securityRules", body); got != http.StatusOK {
		t.Fatalf("loading rules answers %d", got)
	}
}

// documented returns a document of each collection that has a declaration in
// firestore.indexes.json, and of others, at the top and within documents.
func documented(t *testing.T) []store.Path {
	t.Helper()
	body, err := os.ReadFile("../../../firestore.indexes.json")
	if err != nil {
		t.Fatal(err)
	}
	var declared struct {
		FieldOverrides []struct {
			CollectionGroup string `json:"collectionGroup"`
		} `json:"fieldOverrides"`
	}
	if err := json.Unmarshal(body, &declared); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	paths := []store.Path{"anything/a", "credits/a/entries/1", "owners/a/kept/history", "chat/a/messages/1", "feeds/a", "accounts/a", "access/a", "emails/a"}
	for _, o := range declared.FieldOverrides {
		if !seen[o.CollectionGroup] {
			seen[o.CollectionGroup] = true
			paths = append(paths, store.Path(o.CollectionGroup).Join("a"))
		}
	}
	return paths
}
