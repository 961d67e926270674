package functions

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/store/storetest"
)

// An apiRun is what one run of all API scripts stored, asked for and answered.
type apiRun struct {
	*storetest.Recorder
	answers []string // their bodies, cookies and locations
}

// runScripts runs the scripts over an embedded database.
func runScripts(t *testing.T) *apiRun {
	t.Helper()
	run := &apiRun{Recorder: storetest.NewRecorder(openEmbedded(t))}
	keepGuide(t, run)
	keepLogo(t, run)
	p := deps(t, run, fixture)
	h := withMails(mux(t, p), p.Config.MailFolder)
	apitest.Run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		run.answers = append(run.answers, strings.Join(append(answer.Header().Values("Set-Cookie"), answer.Header().Get("Location"), answer.Body.String()), "\n"))
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		answer.Body.WriteTo(w)
	}), "testdata/api/*.txt", signIn(run))
	return run
}

// harmless matches the texts of answers that may be stored as they are, because they open
// nothing by themselves.
var harmless = regexp.MustCompile(`^(?:` +
	`(?:a|o|g|cat|grp|itm|cm|blk|key|inv|s)_[0-9a-z]+|rb\.[0-9a-f-]{36}` + // ids by their prefixes
	`|00000000-0000-4000-8000-[0-9]{12}` + // stations of the fixture as radio-browser names them
	`|[0-9a-f]{32}|[0-9a-f]{64}` + // hashes of files, of links and of sessions
	`|[a-z]+(?:[_.-][a-z0-9]+)+|[0-9]{8}T[0-9]{6}Z|[A-Z][A-Za-z]+\.[a-z]{2}` + // words, slugs, times and channels
	`)$`)

// identifying matches the members of answers that name a thing: a message, a session or
// the question that a passkey signs.
var identifying = regexp.MustCompile(`"(?:id|challenge)":"([^"]+)"`)

// Secrets of the answers by what they look like. The test fails when the scripts meet
// none of one kind.
var secrets = map[string]*regexp.Regexp{
	"feed token":      regexp.MustCompile(`/f/([a-z2-7]{26})`),
	"player password": regexp.MustCompile(`"password":"([a-z2-7]{18})"`),
	"guest token":     regexp.MustCompile(`"token":"(ipt_[\w.-]+)"`),
	"session cookie":  regexp.MustCompile(`(?m)^__Host-[\w-]+=([\w.-]{20,});`),
	"API key":         regexp.MustCompile(`\b(mmk_[\w.-]{20,})`),
	"link in a mail":  regexp.MustCompile(`#([\w-]{20,})`),
	"code":            regexp.MustCompile(`"code":"(\d{6}|[A-Z0-9]{4}-[A-Z0-9]{4}|[\w-]{8,9})"`),
	"invitation":      regexp.MustCompile(`"(?:invitation|link|url)":"[^"]*[#/=]([\w-]{20,})"`),
}

// TestNoSecretStored runs all scripts. No secret of an answer is in a document that was
// ever written, nor in its path: who reads the database can act for nobody, and opens
// no feed.
func TestNoSecretStored(t *testing.T) {
	run := runScripts(t)
	answers := strings.Join(run.answers, "\n")
	var stored strings.Builder
	for _, w := range run.Written() {
		fmt.Fprintf(&stored, "%s\n%s\n", w.Path, w.JSON)
	}
	for kind, pattern := range secrets {
		found := pattern.FindAllStringSubmatch(answers, -1)
		if len(found) == 0 {
			t.Errorf("no answer has a %s: is it written in another way now?", kind)
		}
		for _, m := range found {
			text := m[1]
			if len(text) < 16 {
				text = `"` + text + `"` // so short that it may be a part of something else
			}
			if at := strings.Index(stored.String(), text); at >= 0 && !harmless.MatchString(m[1]) {
				t.Errorf("a %s is stored: %s", kind, around(stored.String(), at))
			}
		}
	}
	named := map[string]bool{}
	for _, m := range identifying.FindAllStringSubmatch(answers, -1) {
		named[m[1]] = true
	}
	for _, text := range regexp.MustCompile(`[\w.-]{16,}`).FindAllString(answers, -1) {
		if at := strings.Index(stored.String(), text); at >= 0 && !harmless.MatchString(text) && !named[text] {
			t.Errorf("%s is in an answer and stored: %s", text, around(stored.String(), at))
			named[text] = true
		}
	}
}

func around(text string, at int) string {
	return strings.ReplaceAll(text[max(0, at-80):min(len(text), at+80)], "\n", " ")
}

// A declaration is one of a field in firestore.indexes.json.
type declaration struct {
	Group string `json:"collectionGroup"`
	Field string `json:"fieldPath"`
}

// maxIndexed is the length at which Firestore cuts the value of an index, in bytes.
const maxIndexed = 1500

// TestIndexExemptions runs all scripts, and checks the fields that were stored against
// firestore.indexes.json. A field has no index that is a list, a map, too long or
// sealed: its entries would cost writes and show what is secret. A field that a query
// uses has one.
func TestIndexExemptions(t *testing.T) {
	text, err := os.ReadFile("../firestore.indexes.json")
	if err != nil {
		t.Fatal(err)
	}
	var declared struct{ FieldOverrides []declaration }
	if err := json.Unmarshal(text, &declared); err != nil {
		t.Fatal(err)
	}
	run := runScripts(t)
	queried := map[declaration]bool{}
	for _, q := range run.Queries() {
		group := path.Base(string(q.Collection))
		queried[declaration{group, q.OrderBy}] = true
		for _, f := range q.Where {
			queried[declaration{group, f.Field}] = true
		}
	}
	for _, d := range declared.FieldOverrides {
		if queried[d] {
			t.Errorf("%+v has no index, and a query uses it", d)
		}
	}
	found := map[string]bool{}
	for _, w := range run.Written() {
		for _, problem := range heavy(t, w, queried, declared.FieldOverrides) {
			found[problem] = true
		}
	}
	for problem := range found {
		t.Error(problem)
	}
}

// sealed matches a text that package sealed made: the id of a key and what it sealed.
var sealed = regexp.MustCompile(`^"[\w-]+\.[\w-]{40,}"$`)

// heavy returns the fields of a document that must not be indexed, and are.
func heavy(t *testing.T, w storetest.Written, queried map[declaration]bool, exempt []declaration) (found []string) {
	collection, _, err := w.Path.Split()
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(w.JSON), &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		why := ""
		switch {
		case value[0] == '[':
			why = "a list"
		case value[0] == '{':
			why = "a map"
		case len(value) > maxIndexed:
			why = "long"
		case name == "data":
			why = "data"
		case sealed.Match(value):
			why = "sealed"
		}
		d := declaration{path.Base(string(collection)), name}
		if why != "" && !queried[d] && !slices.Contains(exempt, d) {
			found = append(found, fmt.Sprintf("%s.%s is %s: firestore.indexes.json must declare it without an index", d.Group, d.Field, why))
		}
	}
	return found
}
