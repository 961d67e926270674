package functions

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/social"
)

// imperatives are the verbs that a summary may begin with. A list keeps nouns
// and third persons out; a new verb is added when no verb of the list fits.
var imperatives = strings.Fields(`
	Accept Add Block Buy Change Claim Clear Confirm Copy Count Create Delete End Export Finish Follow Get Hide Import Invite List Mark Moderate Move Open Play Post Publish Record Relay Reload Remove
	Rename Replace Report Restore Revoke Roll Run Search Send Show Sign Start Suggest Switch`)

// sentence matches the end of a sentence of a description.
var sentence = regexp.MustCompile(`\.(?: |$)`)

// TestNames checks that each endpoint, except the pages, has a name unlike that of
// any other endpoint of the service: it is the operationId, from which generated
// clients take the names of their methods.
func TestNames(t *testing.T) {
	first := map[string]string{} // the endpoint with a name
	for _, f := range All() {
		for _, e := range f.Endpoints {
			switch other, taken := first[e.Name]; {
			case e.Page:
			case !named.MatchString(e.Name):
				t.Errorf("%s %s needs the field Name, a verb phrase in snake_case such as search_channels; it is %q", f.Name, e.Pattern(), e.Name)
			case taken:
				t.Errorf("%s and %s have the same Name %s", other, e.Pattern(), e.Name)
			}
			first[e.Name] = e.Pattern()
		}
	}
}

// named matches the name of an endpoint: a verb and what it is done to.
var named = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)+$`)

// TestSummaries checks the words by which people and agents choose an endpoint:
// the summary is an imperative of three to eight words, different for each
// endpoint of the service; the description is one to three sentences of at most
// 400 characters.
func TestSummaries(t *testing.T) {
	first := map[string]string{} // the endpoint with a summary
	for _, f := range All() {
		for _, e := range f.Endpoints {
			for _, problem := range problemsOf(e) {
				t.Errorf("%s %s: %s", f.Name, e.Pattern(), problem)
			}
			if other, ok := first[e.Summary]; ok {
				t.Errorf("%s and %s have the same summary %q", other, e.Pattern(), e.Summary)
			}
			first[e.Summary] = e.Pattern()
		}
	}
}

// problemsOf returns what is wrong with the summary and the description of e.
func problemsOf(e api.Endpoint) (problems []string) {
	words := strings.Fields(e.Summary)
	if len(words) < 3 || len(words) > 8 {
		problems = append(problems, "the summary must have three to eight words: "+e.Summary)
	}
	if len(words) > 0 && !slices.Contains(imperatives, words[0]) {
		problems = append(problems, "the summary must begin with a verb of the list imperatives: "+e.Summary)
	}
	if strings.HasSuffix(e.Summary, ".") {
		problems = append(problems, "the summary must not end with a period: "+e.Summary)
	}
	if n := len(sentence.FindAllString(e.Doc, -1)); n < 1 || n > 3 || !strings.HasSuffix(e.Doc, ".") {
		problems = append(problems, "the description must be one to three whole sentences: "+e.Doc)
	}
	if len(e.Doc) > maxDescription {
		problems = append(problems, "the description is too long: "+e.Doc)
	}
	if strings.HasPrefix(e.Doc, e.Summary) {
		problems = append(problems, "the description must say more than the summary: "+e.Doc)
	}
	return problems
}

// maxDescription bounds a description, in bytes. Agents read those of all tools
// before they choose one.
const maxDescription = 400

// TestSummaryProblems checks that problemsOf finds each mistake.
func TestSummaryProblems(t *testing.T) {
	const summary, doc = "Add a favorite", "Adds the channel. Repeating it changes nothing."
	for name, test := range map[string]struct {
		summary, doc string
		want         int
	}{
		"right":            {summary, doc, 0},
		"two words":        {"Add favorite", doc, 1},
		"nine words":       {"Add a favorite to the list of the caller's", doc + " ", 2},
		"no verb":          {"The favorites list", doc, 1},
		"third person":     {"Adds a favorite", doc, 1},
		"a period":         {summary + ".", doc, 1},
		"no sentence":      {summary, "Adds the channel", 1},
		"too many":         {summary, "A. B. C. D.", 1},
		"too long":         {summary, "Adds " + strings.Repeat("x", maxDescription) + ".", 1},
		"the summary only": {summary, summary + ".", 1},
	} {
		if got := problemsOf(api.Endpoint{Summary: test.summary, Doc: test.doc}); len(got) != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// riddle matches words that leave the thing unnamed which they are about: a
// description is often read without the name of its field beside it.
var riddle = regexp.MustCompile(`^(?:Of|What|Whatever|Who|Whoever|That|Those|Such|Where|Why|How|When)\b|\b(?:tells?|knows?|likewise|as none|is none)\b`)

// TestDescriptions checks every description of the OpenAPI document: of
// operations, parameters, fields and answers.
func TestDescriptions(t *testing.T) {
	n := 0
	for _, text := range documents(t) {
		eachDescription(parsed(t, text), func(text string) {
			n++
			if riddle.MatchString(text) {
				t.Errorf("the description must name what it is about: %s", text)
			}
		})
	}
	if n < 300 {
		t.Errorf("found %d descriptions", n)
	}
}

// parsed returns a document as a tree.
func parsed(t testing.TB, text []byte) (tree map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// eachDescription calls f with every description within v.
func eachDescription(v any, f func(string)) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			eachDescription(one, f)
		}
	case map[string]any:
		for name, one := range v {
			if text, ok := one.(string); ok && name == "description" {
				f(text)
			}
			eachDescription(one, f)
		}
	}
}

// vague matches names of schemas that say nothing outside of the package of their
// type: a word that many things are called by, and words of handlers.
var vague = regexp.MustCompile(`^(?:Time|State|Page|Report|Status|Link|Filter|Facet|Panel|Region|Row|Entry|Item|List|Domain|Result|Answer|Index|Card|Mode|Step|Document|Value|Data|Info|Option|Place|Shape)s?$` +
	`|(?:In|Out|Made|Shown|Done|Got)$|Items[A-Z]`)

// TestOpenAPINames checks that each schema has a name that clients can use as the name
// of a type, and each tag a description.
func TestOpenAPINames(t *testing.T) {
	for _, text := range documents(t) {
		tree := parsed(t, text)
		for name := range tree["components"].(map[string]any)["schemas"].(map[string]any) {
			if vague.MatchString(name) {
				t.Errorf("the schema %s needs a name that says what it is, in functions/describe/spec/names.go", name)
			}
		}
		for _, tag := range tree["tags"].([]any) {
			if tag := tag.(map[string]any); tag["description"] == nil {
				t.Errorf("the tag %s needs a description in functions/describe/spec/introduction.go", tag["name"])
			}
		}
	}
}

// TestOpenAPIProperties checks that each member of an input or result has a description and
// a type: generators write both into the code of clients.
func TestOpenAPIProperties(t *testing.T) {
	n, causes := 0, 0
	for _, text := range documents(t) {
		eachProperty("", parsed(t, text), func(path string, p map[string]any) {
			n++
			if p["description"] == nil {
				t.Errorf("%s needs a description: the tag of its field, or functions/describe/spec/members.go", path)
			}
			if p["type"] == nil && p["$ref"] == nil && p["anyOf"] == nil && p["allOf"] == nil {
				t.Errorf("%s needs a type, such as by the tag shape:%q", path, "object")
			}
			if list, ok := p["enum"].([]any); ok && slices.Contains(list, any("sem_resposta")) {
				causes++
				list = slices.DeleteFunc(list, func(v any) bool { return v == nil })
				var codes []any
				for _, code := range social.Codes {
					codes = append(codes, code)
				}
				if diff := cmp.Diff(codes, list); diff != "" {
					t.Errorf("%s has not the causes of failures (-want +got):\n%s", path, diff)
				}
			}
		})
	}
	if n < 600 || causes < 6 {
		t.Errorf("found %d properties, %d of them the cause of a failure", n, causes)
	}
}

// eachProperty calls f with every property of the schemas within v, but not with
// those of examples.
func eachProperty(path string, v any, f func(path string, property map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			eachProperty(path, one, f)
		}
	case map[string]any:
		for name, one := range v {
			members, ok := one.(map[string]any)
			switch {
			case name == "example", name == "examples":
			case ok && name == "properties":
				for member, schema := range members {
					f(path+"."+member, schema.(map[string]any))
					eachProperty(path+"."+member, schema, f)
				}
			default:
				eachProperty(path+"/"+name, one, f)
			}
		}
	}
}
