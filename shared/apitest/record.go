package apitest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"miramundo.dev/shared/api/openapi"
)

// A Validator that records keeps one call of each operation as an example: the one
// that shows most after it was shortened. Secrets and ids differ from run to run, so
// they are replaced by text of the same kind, and lists and texts are cut.

// Limits of an example. Lists of a schema may have more items.
const (
	exampleItems = 2
	exampleChars = 600  // of a text that is not JSON
	exampleBytes = 6000 // of a body
)

// Record makes v keep examples, except answers of operations whose order differs from
// run to run.
func (v *Validator) Record(unordered ...string) {
	v.unordered = unordered

	v.examples = openapi.Examples{Calls: map[string]openapi.Call{}, Failures: map[string]map[string]any{}}
}

// Examples returns the examples that v has kept.
func (v *Validator) Examples() openapi.Examples {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.examples
}

// record keeps a call of an operation when it shows more than the one before. A call
// that failed, although it was well formed, is kept for its request alone.
func (v *Validator) record(route *routers.Route, params map[string]string, r *http.Request, sent []byte, answer *http.Response, body []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.examples.Calls == nil {
		return
	}
	status := strconv.Itoa(answer.StatusCode)
	if answer.StatusCode >= http.StatusBadRequest {
		v.recordFailure(body)
	}
	name := route.Operation.OperationID
	old := v.examples.Calls[name]
	if wrong := answer.StatusCode >= http.StatusBadRequest; wrong && (old.Answers != nil || answer.StatusCode == http.StatusBadRequest) {
		return
	}
	call := openapi.Call{Params: map[string]string{}, Request: bodies(r.Header, sent), Answers: map[string]map[string]any{}}
	for _, p := range route.Operation.Parameters {
		value, ok := params[p.Value.Name]
		if p.Value.In == "query" {
			value, ok = r.URL.Query().Get(p.Value.Name), r.URL.Query().Has(p.Value.Name)
		}
		if ok && p.Value.In != "header" {
			call.Params[p.Value.Name] = shorten(value, p.Value.Name).(string)
		}
	}
	keepDescribed(call.Request, route.Operation.RequestBody)
	maps.Copy(call.Answers, old.Answers)
	if shown := bodies(answer.Header, body); len(shown) > 0 && answer.StatusCode < http.StatusBadRequest && !slices.Contains(v.unordered, name) {
		call.Answers[status] = shown
	}
	if old.Answers == nil || size(call.Answers[status])+size(call.Request) > size(old.Answers[status])+size(old.Request) {
		v.examples.Calls[name] = call
	}
}

// keepDescribed removes from requests in JSON the members that the operation ignores.
func keepDescribed(request map[string]any, body *openapi3.RequestBodyRef) {
	for media, sent := range request {
		members, ok := sent.(map[string]any)
		if !ok || body == nil || body.Value.Content.Get(media) == nil {
			continue
		}
		schema := body.Value.Content.Get(media).Schema.Value
		for name := range members {
			if len(schema.Properties) > 0 && schema.Properties[name] == nil {
				delete(members, name)
			}
		}
	}
}

// recordFailure keeps the members of the first failure of each code besides error
// and message.
func (v *Validator) recordFailure(body []byte) {
	var members map[string]any
	if json.Unmarshal(body, &members) != nil {
		return
	}
	code, _ := members["error"].(string)
	if _, ok := v.examples.Failures[code]; ok || code == "" {
		return
	}
	delete(members, "error")
	delete(members, "message")
	if len(members) > 0 {
		v.examples.Failures[code] = shorten(members, "").(map[string]any)
	}
}

// bodies returns a body as an example, by its media type; none for a body that is
// empty, no text or too large.
func bodies(h http.Header, body []byte) map[string]any {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	var shown any
	switch {
	case len(body) == 0:
		return nil
	case strings.HasSuffix(media, "json"):
		if json.Unmarshal(body, &shown) != nil {
			return nil
		}
		shown = shorten(shown, "")
	case strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "xml"), strings.Contains(media, "mpegurl"):
		shown = cut(steady(string(body)))
	default:
		return nil
	}
	all := map[string]any{media: shown}
	if size(all) > exampleBytes {
		return nil
	}
	return all
}

// size returns the length of an example in JSON.
func size(v map[string]any) int {
	if len(v) == 0 {
		return 0
	}
	text, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(text)
}

// cut returns the first lines of a text.
func cut(text string) string {
	if len(text) <= exampleChars {
		return text
	}
	head := strings.ToValidUTF8(text[:exampleChars], "")
	if end := strings.LastIndexByte(head, '\n'); end > 0 {
		head = head[:end+1]
	}
	return head
}

// shorten returns a value of JSON with short lists and steady texts. name is that of
// the member that holds it.
func shorten(v any, name string) any {
	switch v := v.(type) {
	case []any:
		v = slices.Clone(v[:min(len(v), exampleItems)])
		for i := range v {
			v[i] = shorten(v[i], name)
		}
		return v
	case map[string]any:
		short := map[string]any{}
		for _, member := range slices.Sorted(maps.Keys(v)) {
			within := member
			if strings.HasSuffix(name, durations) {
				within = name
			}
			short[member] = shorten(v[member], within)
		}
		return short
	case float64:
		if strings.HasSuffix(name, durations) {
			return 12.0
		}
		if slices.Contains(numbers, name) && v > 0 {
			return playerNumber
		}
	case string:
		if name == "last4" {
			return "x7Qd"
		}
		for _, d := range drawn {
			if slices.Contains(short, name) && d.shape.MatchString(v) {
				return d.example
			}
		}
		if slices.Contains(numbers, name) && playerDigits.MatchString(v) {
			return playerDigits.ReplaceAllString(v, strconv.Itoa(playerNumber)+"$1")
		}
		if name == "username" && playerName.MatchString(v) {
			return "k3m7q2x5"
		}
		if pseudonym.MatchString(v) {
			return "Vega 0412"
		}
		return steady(v)
	}
	return v
}

// durations ends the names of members that hold milliseconds, which differ from run to
// run.
const durations = "_ms"

// drawn are examples of values that are short and drawn by chance, by their shape. The
// members that hold them are listed in short.
var drawn = []struct {
	shape   *regexp.Regexp
	example string
}{
	{regexp.MustCompile(`^\d{6}$`), "482193"},
	{regexp.MustCompile(`^[A-Z0-9]{4}-[A-Z0-9]{4}$`), "KMPQ-7RWX"},
	{regexp.MustCompile(`^[A-Z0-9]{8}$`), "KMPQ7RWX"},
	{regexp.MustCompile(`^\d{4}$`), "4821"},
}

var short = []string{"code", "digits", "secret"}

// Logins of players and the numbers that they know are made from tokens and ids.
var (
	numbers      = []string{"stream", "stream_id", "category_id", "category_ids", "epg_id"}
	playerDigits = regexp.MustCompile(`^[1-9]\d*(\.[a-z0-9]+)?$`)
	playerName   = regexp.MustCompile(`^[a-z2-7]{8}(?:-[a-z2-7]{8})?$`)
)

// playerNumber is the example of a number.
const playerNumber = 1325689463

var (
	secret    = regexp.MustCompile(`[A-Za-z0-9_-]{16,}`)
	prefixed  = regexp.MustCompile(`^[a-z]{1,4}(?:_[a-z])?_[a-z0-9]{12,}$`)
	hash      = regexp.MustCompile(`^0x[0-9a-f]+$`)
	pseudonym = regexp.MustCompile(`^[A-Z][a-z]+ \d{4}$`) // of an author without a name
	verb      = regexp.MustCompile(`^(?:get|add|list|open|end)_`)
	row       = regexp.MustCompile(`^[a-z0-9]+$`) // an id in base32 may have no digit
	lettered  = regexp.MustCompile(`[A-Za-z]`)
	numbered  = regexp.MustCompile(`[0-9]`)
)

// isSecret reports whether a word of 16 characters or more is not one of a language:
// one with digits, one of small letters in a row, or a longer one in a row or in mixed
// case.
func isSecret(word string) bool {
	return lettered.MatchString(word) && (numbered.MatchString(word) || row.MatchString(word) ||
		len(word) >= 20 && (!strings.ContainsAny(word, "_-") || strings.ToLower(word) != word && strings.ToUpper(word) != word))
}

// steady returns text with an example in place of each id and secret.
func steady(text string) string {
	return secret.ReplaceAllStringFunc(text, func(word string) string {
		const letters = "k3m7q2x5w4p6t2v5n3r7h4d6"
		switch {
		case prefixed.MatchString(word) && !verb.MatchString(word):
			return word[:strings.IndexByte(word, '_')+1] + letters[:12]
		case !isSecret(word):
			return word
		case hash.MatchString(word):
			return "0x" + strings.Repeat("25", len(word)/2)[:len(word)-2]
		}
		return letters
	})
}

// ValidateExamples returns why an example of an OpenAPI document in JSON does not fit
// its schema.
func ValidateExamples(document []byte) error {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return err
	}
	return doc.Validate(context.Background(), openapi3.EnableExamplesValidation())
}
