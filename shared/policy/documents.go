package policy

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file ties firestore.indexes.json to the source: a document that expires is
// deleted by the database only where the field expire_at is declared so, and a query
// finds nothing by a field that is not indexed.

// expiring names the collection of each stored type that has an expire_at. The last
// element is a type, or the function around a type without a name.
var expiring = map[string]string{
	"hop/allowance.document":            "allowances",
	"shared/account/challenge.document": "challenges",
	"shared/account/claim.state":        "claims",
	"shared/account/devicelink.Link":    "devicelinks",
	"shared/account/devicelink.pointer": "devicelinks",
	"shared/account/throttle.record":    "throttles",
	"shared/billing.Contact":            "contacts",
	"shared/billing.payment":            "payments",
	"shared/billing/pass.NetworkPass":   "networkpasses",
	"shared/chat.instance":              "chat_instances",
	"shared/chat.record":                "messages",
	"shared/fact.spill":                 "seen",
	"shared/fact/undelivered.Act":       "event_acts",
	"shared/human.used":                 "human_tokens",
	"shared/library/public.claim":       "public_libraries",
	"shared/moderation.Mute":            "mutes",
	"shared/moderation/act.Case":        "cases",
	"shared/moderation/act.Report":      "text_reports",
	"shared/social/comment.networkPace": "comment_networks",
	"shared/social/comment.trace":       "comment_traces",
	"shared/chat.places":                "chat_networks",
	"shared/social/report.Record":       "reports",
	"shared/takedown.letter":            "takedown_mails",
	"shared/takedown.record":            "takedown_requests",
	"shared/usage.Counted":              "numbers",
	"shared/visit.Counted":              "visits",
}

// queriedElsewhere are names of fields that queries use in one collection and that
// another collection has without an index.
var queriedElsewhere = map[string]string{
	"messages.at": "reports and logs are ordered by at",
	"outbox.at":   "reports and logs are ordered by at",
}

// within names the field that contains values of a type, for types with bytes that are
// a part of a document.
var within = map[string]string{"shared/account/passkey.Credential": "accounts.passkeys"}

// An override is a declaration of one field in firestore.indexes.json.
type override struct {
	Group   string            `json:"collectionGroup"`
	Field   string            `json:"fieldPath"`
	TTL     bool              `json:"ttl"`
	Indexes []json.RawMessage `json:"indexes"`
}

func (o override) name() string { return o.Group + "." + o.Field }

// Documents checks the declarations of fields in the text of firestore.indexes.json
// against the source, and returns what does not fit.
func Documents(t *Tree, declarations []byte) ([]string, error) {
	var declared struct {
		Overrides []override `json:"fieldOverrides"`
	}
	if err := json.Unmarshal(declarations, &declared); err != nil {
		return nil, fmt.Errorf("firestore.indexes.json: %w", err)
	}
	found := slices.Concat(checkExpiring(t, declared.Overrides), checkQueried(t, declared.Overrides), checkBytes(t, declared.Overrides))
	seen := map[string]bool{}
	for _, o := range declared.Overrides {
		if seen[o.name()] {
			found = append(found, o.name()+" is declared twice")
		}
		if seen[o.name()] = true; len(o.Indexes) > 0 {
			found = append(found, o.name()+" is declared with indexes: a field needs no declaration for the usual ones")
		}
	}
	return found, nil
}

// stored yields the files whose packages may hold documents: not those of the stores
// and of this package, nor programs for developers.
func (t *Tree) stored() []*File {
	return slices.DeleteFunc(t.code(), func(f *File) bool { return match(`(shared/store|shared/policy|scripts|infra)(/.*)?`, f.Dir) })
}

// checkExpiring compares the types that have an expire_at, the table of their
// collections, and the declarations.
func checkExpiring(t *Tree, declared []override) (found []string) {
	types := map[string]string{} // to their places
	for _, f := range t.stored() {
		for _, field := range tagged(f) {
			if field.name == "expire_at" {
				types[f.Dir+"."+field.of] = t.at(field.node)
			}
		}
		found = append(found, expireText(t, f)...)
	}
	ttl := map[string]bool{}
	for _, o := range declared {
		if o.TTL {
			ttl[o.Group] = o.Field == "expire_at"
		}
	}
	for name, place := range types {
		if expiring[name] == "" {
			found = append(found, place+": "+name+" has an expire_at: the table expiring must name its collection")
		}
	}
	collections := map[string]bool{}
	for name, collection := range expiring {
		collections[collection] = true
		if types[name] == "" {
			found = append(found, name+" is in the table expiring, and has no expire_at")
		}
		if !ttl[collection] {
			found = append(found, collection+".expire_at has no ttl in firestore.indexes.json: its documents would stay for ever")
		}
	}
	for collection := range ttl {
		if !collections[collection] {
			found = append(found, collection+" has a ttl in firestore.indexes.json, and no type has its expire_at")
		}
	}
	return found
}

// expireText finds an expire_at outside of the tags of fields, by which a document
// would expire that is no struct.
func expireText(t *Tree, f *File) (found []string) {
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Value == `"expire_at"` {
			found = append(found, t.at(n)+": expire_at must be a field of a struct, so that its collection is known")
		}
		return true
	})
	return found
}

// A taggedField is a field of a struct with its name in JSON.
type taggedField struct {
	node *ast.Field
	of   string // the type, or the variable whose type has no name
	name string
}

// tagged returns the fields of the structs of a file that have a name in JSON.
func tagged(f *File) (all []taggedField) {
	add := func(of string, in ast.Node) {
		ast.Inspect(in, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				if name := jsonName(field); name != "" {
					all = append(all, taggedField{field, of, name})
				}
			}
			return true
		})
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			add(n.Name.Name, n.Type)
			return false
		case *ast.AssignStmt:
			if name, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Rhs) == 1 {
				if lit, ok := n.Rhs[0].(*ast.CompositeLit); ok {
					add(name.Name, lit.Type)
				}
			}
		}
		return true
	})
	return all
}

func jsonName(field *ast.Field) string {
	if field.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(tag, `json:"`)
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, `"`)
	name, _, _ = strings.Cut(name, ",")
	return name
}

// checkQueried checks that no query uses a field that is not indexed. Queries name
// their fields by literals, which are compared without their collections.
func checkQueried(t *Tree, declared []override) (found []string) {
	queried := map[string]string{} // to a place
	for _, f := range t.stored() {
		found = append(found, queriedFields(t, f, queried)...)
	}
	excused := maps.Clone(queriedElsewhere)
	for _, o := range declared {
		top, _, _ := strings.Cut(o.Field, ".")
		place := queried[top]
		if place == "" || excused[o.name()] != "" {
			delete(excused, o.name())
			continue
		}
		found = append(found, fmt.Sprintf("%s: a query uses %s, and firestore.indexes.json has %s without an index", place, top, o.name()))
	}
	for name := range excused {
		found = append(found, name+" is in the table queriedElsewhere, and is not declared without an index")
	}
	return found
}

// queriedFields adds the fields of the queries of a file to queried, and finds those
// that are not literals.
func queriedFields(t *Tree, f *File, queried map[string]string) (found []string) {
	if !slices.Contains(f.Imports, "shared/store") {
		return nil
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := pair.Key.(*ast.Ident); !ok || key.Name != "Field" && key.Name != "OrderBy" {
			return true
		}
		if same, ok := pair.Value.(*ast.SelectorExpr); ok && same.Sel.Name == "OrderBy" {
			return true // a filter by the field of the order
		}
		lit, ok := pair.Value.(*ast.BasicLit)
		if !ok {
			found = append(found, t.at(n)+": a field of a query must be a literal, so that its index is known")
			return true
		}
		top, _, _ := strings.Cut(strings.Trim(lit.Value, `"`), ".")
		queried[top] = t.at(n)
		return true
	})
	return found
}

// checkBytes checks that fields of bytes, which are stored as long texts, have no
// index.
func checkBytes(t *Tree, declared []override) (found []string) {
	for _, f := range t.stored() {
		if !slices.Contains(f.Imports, "shared/store") {
			continue
		}
		for _, field := range tagged(f) {
			list, ok := field.node.Type.(*ast.ArrayType)
			if !ok {
				continue
			}
			if of, ok := list.Elt.(*ast.Ident); !ok || of.Name != "byte" {
				continue
			}
			outer := within[f.Dir+"."+field.of]
			if !slices.ContainsFunc(declared, func(o override) bool { return o.Field == field.name || o.name() == outer }) {
				found = append(found, fmt.Sprintf("%s: %s holds bytes and has an index: firestore.indexes.json must declare it without", t.at(field.node), field.name))
			}
		}
	}
	return found
}
