package apitest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Run runs every script that the pattern names, each as a subtest. A script is
// a text file of calls:
//
//	# Anything for people.
//	POST /api/groups?x=1
//	& ana                                the call is of a page in the browser of that name
//	& ana signed in                      likewise, with a session of the account of that name
//	> Content-Type: application/json     header of the request
//	>> {"name": "a"}                     body of the request; several lines are joined
//	< 201                                status that is expected; 200 without it
//	< Cache-Control: no-store            header that is expected; -Name means absent
//	= {"id": "x"}                        the whole body, as JSON
//	~ {"items": [{"id": "x"}]}           a part of the body: members may be more
//	* text                               the body contains it
//	@ id = items.0.id                    keeps a value for later lines, as ${id}
//	@ id = items.0.api | /items/(.*)     keeps the part of a value that a pattern encloses
//
// In "~" an object matches one with more members, and a list one of the same
// length. The string "${}" matches any value. There may be several. Each script
// calls from a network of its own, so that limits by network do not carry over
// from one script to another. A browser keeps cookies from call to call, and sends
// what pages of the service send: their Origin, and the token of bootstrap.
//
// signIn may be nil when no script needs a session.
func Run(t *testing.T, h http.Handler, pattern string, signIn SignIn) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no script matches %s (%v)", pattern, err)
	}
	for i, name := range names {
		from := calling(h, fmt.Sprintf("198.18.%d.%d:4711", i>>8, i&255))
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			calls, err := parse(string(data))
			if err != nil {
				t.Fatalf("%s:%v", name, err)
			}
			p := &play{h: from, file: name, signIn: signIn, values: map[string]string{}, browsers: map[string]*Browser{}}
			for _, c := range calls {
				c.run(t, p)
			}
		})
	}
}

// A SignIn stores a session of the account that a script calls by a name, and
// returns its cookie. Two calls with one name are for two browsers of one account.
type SignIn func(t testing.TB, name string) *http.Cookie

// A play is a script while it runs.
type play struct {
	h        http.Handler
	file     string
	signIn   SignIn
	values   map[string]string // kept from answers
	browsers map[string]*Browser
}

// browser returns the browser of a line "& name" or "& name signed in".
func (p *play) browser(t testing.TB, line string) *Browser {
	name, signedIn := strings.CutSuffix(line, " signed in")
	b, ok := p.browsers[name]
	if !ok {
		b = NewBrowser(t, p.h)
		p.browsers[name] = b
	}
	if signedIn && !b.signedIn {
		b.Set(p.signIn(t, name))
		b.signedIn = true
	}
	return b
}

// calling returns h as it answers callers at addr.
func calling(h http.Handler, addr string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = addr
		h.ServeHTTP(w, r)
	})
}

// A step is one call of a script.
type step struct {
	line           int
	method, target string
	browser        string   // empty for a program
	headers        []string // name, value, name, value, …
	body           string
	status         int
	expect         []string // "Name: value" or "-Name"
	whole, part    string   // JSON
	contains       []string
	keep           []string // "name = path"
}

var request = regexp.MustCompile(`^([A-Z]+) (/\S*)$`)

func parse(text string) (steps []*step, err error) {
	var s *step
	scan := bufio.NewScanner(strings.NewReader(text))
	scan.Buffer(nil, 1<<20)
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSpace(scan.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if m := request.FindStringSubmatch(line); m != nil {
			s = &step{line: n, method: m[1], target: m[2], status: http.StatusOK}
			steps = append(steps, s)
			continue
		}
		if s == nil {
			return nil, fmt.Errorf("%d: comes before the first request", n)
		}
		if err := s.add(line); err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
	}
	return steps, scan.Err()
}

// add takes one line of a call.
func (s *step) add(line string) (err error) {
	mark, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch mark {
	case "&":
		s.browser = rest
	case ">":
		name, value, ok := strings.Cut(rest, ":")
		if !ok {
			return fmt.Errorf("%q is no header", rest)
		}
		s.headers = append(s.headers, name, strings.TrimSpace(value))
	case ">>":
		s.body += rest
	case "<":
		if strings.Trim(rest, "0123456789") != "" {
			s.expect = append(s.expect, rest)
			return nil
		}
		s.status, err = strconv.Atoi(rest)
		return err
	case "=":
		s.whole += rest
	case "~":
		s.part += rest
	case "*":
		s.contains = append(s.contains, rest)
	case "@":
		s.keep = append(s.keep, rest)
	default:
		return fmt.Errorf("%q is no line of a script", line)
	}
	return nil
}

var kept = regexp.MustCompile(`\$\{(\w+)\}`)

// fill puts the values kept so far in their places.
func fill(text string, values map[string]string) string {
	return kept.ReplaceAllStringFunc(text, func(name string) string {
		if v, ok := values[name[2:len(name)-1]]; ok {
			return v
		}
		return name
	})
}

// run makes the call and checks the answer.
func (s *step) run(t *testing.T, p *play) {
	t.Helper()
	headers := make([]string, len(s.headers))
	for i := range s.headers {
		headers[i] = fill(s.headers[i], p.values)
	}
	do := func(method, target, body string, headers ...string) (*http.Response, string) {
		return Do(t, p.h, method, target, body, headers...)
	}
	if s.browser != "" {
		do = p.browser(t, s.browser).Do
	}
	answer, body := do( //nolint:bodyclose // a recorder's, read whole
		s.method, fill(s.target, p.values), fill(s.body, p.values), headers...)
	for _, problem := range s.check(answer, body, p.values) {
		t.Errorf("%s:%d: %s %s: %s", p.file, s.line, s.method, s.target, problem)
	}
}

// check returns the differences between the response and the expected one, and
// keeps the values that later steps use.
func (s *step) check(answer *http.Response, body string, values map[string]string) (problems []string) {
	no := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if answer.StatusCode != s.status {
		no("status %d, want %d; body %.500s", answer.StatusCode, s.status, body)
	}
	for _, line := range s.expect {
		name, want, _ := strings.Cut(fill(line, values), ":")
		got, set := answer.Header[http.CanonicalHeaderKey(strings.TrimPrefix(name, "-"))]
		if want = strings.TrimSpace(want); strings.HasPrefix(name, "-") {
			if set {
				no("header %s is set", name[1:])
			}
		} else if strings.Join(got, ", ") != want {
			no("header %s is %q, want %q", name, got, want)
		}
	}
	for _, text := range s.contains {
		if !strings.Contains(body, fill(text, values)) {
			no("body has no %q: %.500s", fill(text, values), body)
		}
	}
	return append(problems, s.checkJSON(body, values)...)
}

func (s *step) checkJSON(body string, values map[string]string) (problems []string) {
	if s.whole == "" && s.part == "" && len(s.keep) == 0 {
		return nil
	}
	got, err := read(body)
	if err != nil {
		return []string{"body is not JSON: " + err.Error()}
	}
	if s.whole != "" {
		want, err := read(fill(s.whole, values))
		if err != nil {
			return []string{"script: " + err.Error()}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			problems = append(problems, "body (-want +got):\n"+diff)
		}
	}
	if s.part != "" {
		wants, err := readAll(fill(s.part, values))
		if err != nil {
			return []string{"script: " + err.Error()}
		}
		for _, want := range wants {
			problems = append(problems, differ("body", want, got)...)
		}
	}
	for _, line := range s.keep {
		name, path, _ := strings.Cut(line, "=")
		path, pattern, _ := strings.Cut(path, " | ")
		value, err := at(got, strings.TrimSpace(path))
		if err == nil && pattern != "" {
			value, err = enclosed(value, strings.TrimSpace(pattern))
		}
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		values[strings.TrimSpace(name)] = value
	}
	return problems
}

// enclosed returns what the first group of a pattern matches in value.
func enclosed(value, pattern string) (string, error) {
	p, err := regexp.Compile(pattern)
	if err != nil {
		return "", err
	}
	m := p.FindStringSubmatch(value)
	if len(m) != 2 {
		return "", fmt.Errorf("%q does not match %s", value, pattern)
	}
	return m[1], nil
}

// read returns the one value of a JSON text.
func read(text string) (any, error) {
	values, err := readAll(text)
	if err != nil || len(values) == 1 {
		return append(values, nil)[0], err
	}
	return nil, fmt.Errorf("%d values in place of one", len(values))
}

// readAll returns the values of a JSON text, one after the other.
func readAll(text string) (values []any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		var v any
		switch err := d.Decode(&v); err {
		case nil:
			values = append(values, v)
		case io.EOF:
			return values, nil
		default:
			return nil, err
		}
	}
}

// differ returns where got does not have what want has.
func differ(path string, want, got any) (problems []string) {
	if want == "${}" {
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %v, want an object", path, show(got))}
		}
		for name, value := range w {
			member, ok := g[name]
			if !ok {
				problems = append(problems, path+" has no "+name)
				continue
			}
			problems = append(problems, differ(path+"."+name, value, member)...)
		}
		return problems
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s is %v, want a list of %d", path, show(got), len(w))}
		}
		for i := range w {
			problems = append(problems, differ(fmt.Sprintf("%s.%d", path, i), w[i], g[i])...)
		}
		return problems
	}
	if want != got {
		return []string{fmt.Sprintf("%s is %v, want %v", path, show(got), show(want))}
	}
	return nil
}

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.300s", text)
}

// at returns the value at a path such as "items.0.id", as text.
func at(v any, path string) (string, error) {
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(x) {
				return "", fmt.Errorf("body has no %s", path)
			}
			v = x[i]
		default:
			return "", fmt.Errorf("body has no %s", path)
		}
	}
	if v == nil {
		return "", fmt.Errorf("body has no %s", path)
	}
	return fmt.Sprint(v), nil
}
