package policy

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestStoredDocuments ties the declarations of the repository to its source.
func TestStoredDocuments(t *testing.T) {
	tree, err := Read(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../firestore.indexes.json")
	if err != nil {
		t.Fatal(err)
	}
	found, err := Documents(tree, text)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	for _, f := range found {
		t.Error(f)
	}
}

// TestDocuments breaks each rule about declarations, and stays just within it.
func TestDocuments(t *testing.T) {
	const imports = `import "miramundo.dev/shared/store"; `
	for _, test := range []struct {
		name, text, overrides, want string
	}{
		{"a type that is not in the table", `type doc struct { E store.Time "json:\"expire_at\"" }`, "", "shared/a.doc has an expire_at"},
		{"a type without a name", `func f() { d := struct { E store.Time "json:\"expire_at\"" }{}; _ = d }`, "", "shared/a.d has an expire_at"},
		{"a map that expires", `var m = map[string]any{"expire_at": 1}`, "", "must be a field of a struct"},
		{"no ttl", "", "", "claims.expire_at"},
		{"a ttl of nothing", "", `{"collectionGroup": "other", "fieldPath": "expire_at", "ttl": true, "indexes": []}`, "other has a ttl"},
		{"a field that is queried", `var q = store.Query{OrderBy: "at"}`, `{"collectionGroup": "things", "fieldPath": "at", "indexes": []}`, "things.at without an index"},
		{"a field within a field that is queried", `var f = store.Filter{Field: "at.x"}`, `{"collectionGroup": "things", "fieldPath": "at", "indexes": []}`, "things.at without an index"},
		{"a field that is not a literal", `var f = store.Filter{Field: name}`, "", "must be a literal"},
		{"bytes", `type doc struct { B []byte "json:\"b\"" }`, "", "b holds bytes and has an index"},
		{"bytes without an index", `type doc struct { B []byte "json:\"b\"" }`, `{"collectionGroup": "things", "fieldPath": "b", "indexes": []}`, ""},
		{"twice", "", `{"collectionGroup": "x", "fieldPath": "b"}, {"collectionGroup": "x", "fieldPath": "b"}`, "declared twice"},
		{"indexes", "", `{"collectionGroup": "x", "fieldPath": "b", "indexes": [{}]}`, "declared with indexes"},
	} {
		tree := read(t, fstest.MapFS{"shared/a/a.go": source("shared/a/a.go", imports+test.text)})
		found, err := Documents(tree, []byte(`{"fieldOverrides": [`+test.overrides+`]}`))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		// The types of the tables are not in this tree.
		found = slices.DeleteFunc(found, func(f string) bool {
			return strings.Contains(f, "is in the table") || strings.Contains(f, "has no ttl") && (test.want == "" || !strings.HasPrefix(f, test.want))
		})
		if !expected(found, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, found, test.want)
		}
	}
	if _, err := Documents(&Tree{}, []byte("{")); err == nil {
		t.Error("a file that is no JSON passes")
	}
}
