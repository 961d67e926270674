package web_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// read returns the files that a pattern finds, without their tests, by their
// paths.
func read(t testing.TB, patterns ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s finds nothing: %v", pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				files[name] = string(data)
			}
		}
	}
	return files
}

// The sources of the pages.
const (
	inTemplates = "templates/*.html"
	inStyles    = "style/*.css"
	inScripts   = "app/*.ts"
	inParts     = "app/*/*.ts"
)

// action matches what a template computes.
var action = regexp.MustCompile(`(?s)\{\{.*?\}\}`)

// noscript matches the tags whose content the tokenizer would not look into.
var noscript = regexp.MustCompile(`</?noscript>`)

// plain are words that are the same in every language: what products and
// formats are called.
var plain = []string{"Miramundo", "UTC", "llms.txt"}

// attributes that people read or hear.
var spoken = []string{"title", "placeholder", "aria-label", "alt", "label", "aria-description", "aria-roledescription", "aria-valuetext"}

// sentences returns what a template says by itself, which is for the texts to
// say. Names of keys and code are no language.
func sentences(template string) (found []string) {
	say := func(text string) {
		for _, word := range plain {
			text = strings.ReplaceAll(text, word, "")
		}
		if strings.IndexFunc(text, unicode.IsLetter) >= 0 {
			found = append(found, strings.TrimSpace(text))
		}
	}
	shown := noscript.ReplaceAllString(action.ReplaceAllString(template, "\u2026"), "")
	z := html.NewTokenizer(strings.NewReader(shown))
	var silent string // element whose text is no language
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return found
		case html.TextToken:
			if silent == "" {
				say(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			tag := z.Token()
			if slices.Contains([]string{"script", "code", "kbd"}, tag.Data) {
				silent = map[html.TokenType]string{html.StartTagToken: tag.Data}[kind]
			}
			for _, a := range tag.Attr {
				if slices.Contains(spoken, a.Key) {
					say(a.Val)
				}
			}
		}
	}
}

func TestSentences(t *testing.T) {
	for template, want := range map[string]int{
		`<p>{{.T "a.b"}} · 4</p><kbd>Esc</kbd><script>let a</script>Miramundo`: 0,
		`<p title="{{.T "a.b"}}" class="a b"></p>`:                             0,
		`<p>Hello</p>`:                          1,
		`<kbd>F</kbd> full`:                     1,
		`<img alt="a logo" title="{{.X}} now">`: 2,
		`{{if eq .A "it is so"}}{{end}}<input placeholder="Suche {{.T "a.b"}}">`: 1,
		`<noscript><p class="a">{{.T "a.b"}}</p></noscript>`:                     0, `<noscript><p>Hello</p></noscript>`: 1,
	} {
		if got := sentences(template); len(got) != want {
			t.Errorf("%s contains %q, want %d", template, got, want)
		}
	}
}

// TestTemplatesHaveNoSentences checks that templates leave all they say to the texts.
func TestTemplatesHaveNoSentences(t *testing.T) {
	for name, template := range read(t, inTemplates) {
		for _, s := range sentences(template) {
			t.Errorf("%s contains %q: make it a text", name, s)
		}
	}
}

// A use is a key of a text in the sources; a * in it stands for what is
// computed.
type use struct {
	key, file string
	call      bool // it is asked for as a text, so that there must be one
	counted   bool // as one of the two texts that a number needs
}

var (
	inTemplate = regexp.MustCompile(`\.(T|N)\s+(?:"([^"]*)"|\((printf? [^()]*)\))`)
	inScript   = regexp.MustCompile("(?:^|[^.\\w])(t|count|has)\\(\\s*(?:\"([^\"]*)\"|`([^`]*)`)(\\s*\\+)?")
	anywhere   = regexp.MustCompile("\"([a-z]+(?:\\.[a-z0-9_]+)+)\"|`([a-z]+\\.[^`\\s]*)`")
	computed   = regexp.MustCompile(`\$\{[^}]*\}|%[sdv]`)
	comment    = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:(?:^|\s)//[^\n]*$)`)
)

// usesOf lists the keys in a source that is no Go.
func usesOf(name, source string) (all []use) {
	calls := inScript
	if strings.HasSuffix(name, ".html") {
		calls = inTemplate
	} else {
		source = comment.ReplaceAllString(source, "")
	}
	for _, m := range calls.FindAllStringSubmatch(source, -1) {
		key := computed.ReplaceAllString(m[2]+printed(m[3]), "*")
		if len(m) > 4 && m[4] != "" {
			key += "*"
		}
		all = append(all, use{key, name, true, m[1] == "N" || m[1] == "count"})
	}
	for _, m := range anywhere.FindAllStringSubmatch(source, -1) {
		all = append(all, use{key: computed.ReplaceAllString(m[1]+m[2], "*"), file: name})
	}
	return all
}

var argument = regexp.MustCompile(`"[^"]*"|\S+`)

// printed returns what a template's print or printf makes, with a * for each
// value; anything else as it is.
func printed(call string) string {
	name, rest, _ := strings.Cut(call, " ")
	switch args := argument.FindAllString(rest, -1); name {
	case "printf":
		return strings.Trim(args[0], `"`)
	case "print":
		for i, a := range args {
			if text, ok := strings.CutPrefix(a, `"`); ok {
				args[i] = strings.TrimSuffix(text, `"`)
			} else {
				args[i] = "*"
			}
		}
		return strings.Join(args, "")
	}
	return call
}

// usesInGo lists the keys in a source of Go.
func usesInGo(t testing.TB, name, source string) (all []use) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 && (s.Sel.Name == "T" || s.Sel.Name == "N") {
				all = append(all, use{pattern(n.Args[0]), name, true, s.Sel.Name == "N"})
			}
		case *ast.BinaryExpr:
			all = append(all, use{key: pattern(n), file: name})
		case *ast.BasicLit:
			all = append(all, use{key: pattern(n), file: name})
		}
		return true
	})
	return all
}

// pattern returns a text that an expression makes, with a * for what is not
// literal.
func pattern(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return pattern(e.X) + pattern(e.Y)
		}
	case *ast.ParenExpr:
		return pattern(e.X)
	}
	return "*"
}

// finds reports whether a key is one of those that a use stands for. What is
// computed has no dot.
func (u use) finds(key string) bool {
	if !strings.Contains(u.key, "*") {
		return key == u.key || key == u.key+".one" || key == u.key+".other"
	}
	if strings.HasPrefix(u.key, "*") {
		return false // it says of no area
	}
	re, ok := patterns[u.key]
	if !ok {
		re = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(u.key), `\*`, "[a-z0-9_-]+") + `(\.one|\.other)?$`)
		patterns[u.key] = re
	}
	return re.MatchString(key)
}

var patterns = map[string]*regexp.Regexp{}

func TestUses(t *testing.T) {
	for _, test := range []struct{ name, source, key string }{
		{"a.html", `{{.T "area.title"}}`, "area.title"},
		{"a.html", `{{$.N "area.things" 3}}`, "area.things.other"},
		{"a.html", `{{$.T (print "area.a_" .B "_c")}}`, "area.a_x_c"},
		{"a.html", `{{$.T (printf "area.sort_%s" .)}}`, "area.sort_name"},
		{"a.ts", `t("area.ui.a")`, "area.ui.a"},
		{"a.ts", "t(`area.ui.a_${b}`)", "area.ui.a_x"},
		{"a.ts", `count("area.ui.n", 2)`, "area.ui.n.one"},
		{"a.ts", `t(yes ? "area.ui.a" : "area.ui.b")`, "area.ui.b"},
		{"a.go", `l.T("area."+kind+"_title", nil)`, "area.x_title"},
		{"a.go", `v.N("area.n", 1)`, "area.n.one"},
		{"a.go", `[]string{"area.list"}`, "area.list"},
	} {
		all := usesOf(test.name, test.source)
		if strings.HasSuffix(test.name, ".go") {
			all = usesInGo(t, test.name, "package a\nvar _ = "+test.source)
		}
		if !slices.ContainsFunc(all, func(u use) bool { return u.finds(test.key) }) {
			t.Errorf("%s does not use %s: %+v", test.source, test.key, all)
		}
		if slices.ContainsFunc(all, func(u use) bool { return u.finds(test.key+"x.y") || u.finds("other.title") }) {
			t.Errorf("%s uses more than %s: %+v", test.source, test.key, all)
		}
	}
}

// keys lists those of the texts of the pages.
func keys(t testing.TB) (all []string) {
	t.Helper()
	for name, data := range read(t, "../../shared/i18n/messages/web/*."+i18n.PT.Tag()+".json") {
		texts := map[string]string{}
		if err := json.Unmarshal([]byte(data), &texts); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = slices.AppendSeq(all, maps.Keys(texts))
	}
	slices.Sort(all)
	return all
}

// allUses lists the keys in all sources of the pages.
func allUses(t testing.TB) (all []use) {
	t.Helper()
	for name, source := range read(t, inTemplates, inScripts, inParts, "*.go", "*/*.go") {
		if strings.HasSuffix(name, ".go") {
			all = append(all, usesInGo(t, name, source)...)
		} else {
			all = append(all, usesOf(name, source)...)
		}
	}
	for _, u := range all {
		if of, ok := strings.CutPrefix(u.key, "*."); ok && !strings.HasPrefix(of, "*") {
			for _, p := range site.Pages {
				all = append(all, use{key: p.String() + "." + of, file: u.file}) // it begins with the name of a page
			}
		}
	}
	return all
}

// TestTextsExist checks that what the sources ask for is there, and that scripts
// ask only for what pages give them.
func TestTextsExist(t *testing.T) {
	keys := slices.Collect(maps.Keys(i18n.PT.Under("")))
	for _, u := range allUses(t) {
		if !u.call || strings.HasPrefix(u.key, "*") {
			continue
		}
		found := slices.ContainsFunc(keys, u.finds)
		if u.counted && !strings.Contains(u.key, "*") {
			found = i18n.Has(u.key+".one") && i18n.Has(u.key+".other")
		}
		if !found {
			t.Errorf("%s uses the text %s, which does not exist", u.file, u.key)
		}
		if strings.HasSuffix(u.file, ".ts") && !strings.Contains(u.key, ".ui.") {
			t.Errorf("%s uses the text %s, which pages do not send to scripts", u.file, u.key)
		}
	}
}

// TestTextsUsed checks that no text of the pages is left over.
func TestTextsUsed(t *testing.T) {
	uses := allUses(t)
	for _, key := range keys(t) {
		if !slices.ContainsFunc(uses, func(u use) bool { return u.finds(key) }) {
			t.Errorf("nothing uses the text %s", key)
		}
	}
}

var (
	imports = regexp.MustCompile(`(?:from|import\()\s*"(\.[^"]*)"`)
	entry   = regexp.MustCompile(`(?m)^ *if \(([^\n]*)\) void import\("(\./[^"]*)"\)`)
	named   = regexp.MustCompile(`page === "([a-z]+)"`)
)

// keeper is what main.ts loads for the buttons that keep a channel: at once, or
// when one is pressed.
const keeper = "app/keep.ts"

// scriptsOf returns the modules that a page runs, by what main.ts and start.ts say;
// buttons says whether it has any that keep a channel.
func scriptsOf(sources map[string]string, page string, buttons bool) []string {
	const first, begins = "app/main.ts", "app/start.ts"
	seen := []string{first}
	for _, m := range entry.FindAllStringSubmatch(sources[first]+sources[begins], -1) {
		pages := named.FindAllStringSubmatch(m[1], -1)
		if path.Join("app", m[2])+".ts" == keeper && buttons || slices.ContainsFunc(pages, func(p []string) bool { return p[1] == page }) {
			seen = append(seen, path.Join("app", m[2])+".ts")
		}
	}
	for i := 0; i < len(seen); i++ {
		source := sources[seen[i]]
		if seen[i] == first || seen[i] == begins {
			source = entry.ReplaceAllString(source, "")
		}
		for _, m := range imports.FindAllStringSubmatch(source, -1) {
			name := path.Join(path.Dir(seen[i]), m[1]) + ".ts"
			if !slices.Contains(seen, name) && (name != keeper || seen[i] != first) {
				seen = append(seen, name)
			}
		}
	}
	return seen
}

// TestPagesSendTextsOfScripts checks that each page sends the texts that its scripts ask for.
func TestPagesSendTextsOfScripts(t *testing.T) {
	h := hostile(t)
	sources := read(t, inScripts, inParts)
	for _, p := range site.Pages {
		if p.Private() {
			continue // its own tests sign in
		}
		doc := h.page(t, p.Path(i18n.EN, h.nameOf(i18n.EN, p)))
		sent := map[string]string{}
		if err := json.Unmarshal([]byte(textOf(find(doc, "script", "id", "texts"))), &sent); err != nil {
			t.Fatalf("%s: the texts of the page: %v", p, err)
		}
		missing := map[string]string{}
		buttons := hasAttr(doc, "data-favorite") || hasAttr(doc, "data-keep")
		for _, name := range scriptsOf(sources, p.String(), buttons) {
			about := strings.TrimSuffix(path.Base(name), ".ts") // a module with the name of a page speaks on that alone
			for _, u := range usesOf(name, sources[name]) {
				if about != p.String() && strings.HasPrefix(u.key, about+".") {
					continue
				}
				if u.call && !strings.HasPrefix(u.key, "*") && !slices.ContainsFunc(slices.Collect(maps.Keys(sent)), u.finds) {
					area, _, _ := strings.Cut(u.key, ".")
					missing[area] = fmt.Sprintf("%s asks for %s", name, u.key)
				}
			}
		}
		for _, area := range slices.Sorted(maps.Keys(missing)) {
			t.Errorf("the page %s does not send the texts of %s: %s", p, area, missing[area])
		}
	}
}

// Ways in which scripts would say something by themselves, or make markup of
// what they are told.
var (
	sentence = regexp.MustCompile("[\"'`]([A-ZÀ-Ý][a-zà-ÿ’]+(?:[ ,.!?…][^\"'`]*)?)[\"'`]")
	told     = regexp.MustCompile("(?:\\btoast|\\bdialog)\\(\\s*[\"'`]|(?:\"aria-label\"|\\btitle|\\bplaceholder|\\balt):\\s*[\"'`][^\"'`$#]*\\pL")
	child    = regexp.MustCompile("\\b[hs]\\(\"[a-z0-9]+\",\\s*\\{[^{}]*\\},\\s*[\"'`][^\"'`$]*\\pL{2}")
	markup   = regexp.MustCompile(`\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|createContextualFragment|eval|Function)\b\s*[(=]|document\.write|javascript:|setAttribute\("(style|on)`)
)

// words of code that look like the beginning of a sentence: what keys, headers
// and networks of payments are called.
var code = []string{
	"Accept", "Backspace", "Base", "Base Sepolia", "Bearer", "Delete", "End", "Enter", "Escape", "Exception", "Home", "Insert", "Page", "Segmenter", "Space", "Spacebar", "Tab", "Unidentified", "Media",
}

// sentencesIn lists what a script says by itself.
func sentencesIn(source string) (found []string) {
	source = comment.ReplaceAllString(source, "")
	for _, m := range sentence.FindAllStringSubmatch(source, -1) {
		if !slices.Contains(code, m[1]) {
			found = append(found, m[0])
		}
	}
	return append(append(found, told.FindAllString(source, -1)...), child.FindAllString(source, -1)...)
}

// TestScriptsHaveNoSentences checks that scripts leave all they say to the texts, and that
// they build no markup of texts.
func TestScriptsHaveNoSentences(t *testing.T) {
	for source, want := range map[string]int{
		`toast(t("a.ui.b"))`: 0, `toast("saved")`: 1, `h("p", {}, "not saved")`: 1, `h("p", { class: "a b" }, t("a.ui.b"))`: 0, `x = "It is so";`: 1,
		`h("b", { title: "so" })`: 1, `h("b", { alt: "" })`: 0, `// It "Was so"`: 0, `event.key === "Enter"`: 0, `"Loading…"`: 1, "`Wait ${n}`": 1,
	} {
		if got := sentencesIn(source); len(got) != want {
			t.Errorf("%s contains %q, want %d", source, got, want)
		}
	}
	for source, want := range map[string]bool{`a.innerHTML = b`: true, `eval(a)`: true, `new Function(a)`: true, `a.textContent = b`: false, `readonly evaluation = 1`: false} {
		if markup.MatchString(source) != want {
			t.Errorf("%s is markup: %v, want %v", source, !want, want)
		}
	}
	for name, source := range read(t, inScripts, inParts) {
		for _, s := range sentencesIn(source) {
			t.Errorf("%s contains %s: make it a text", name, s)
		}
		for _, s := range markup.FindAllString(comment.ReplaceAllString(source, ""), -1) {
			t.Errorf("%s has %s: build it with h and s", name, s)
		}
	}
}

var (
	block  = regexp.MustCompile(`\{([^{}]*)\}`)
	colour = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|light-dark)\(|[:\s,(](?:white|black|red|green|blue|gr[ae]y|silver|yellow|orange|purple|pink|brown|navy|teal)(?:[\s;,)]|$)`)
)

// coloursOf lists the colours that the declarations of a style name.
func coloursOf(style string) (found []string) {
	for _, m := range block.FindAllStringSubmatch(comment.ReplaceAllString(style, ""), -1) {
		found = append(found, colour.FindAllString(m[1], -1)...)
	}
	return found
}

// TestStylesUseColourTokens checks that every colour is a token.
func TestStylesUseColourTokens(t *testing.T) {
	for style, want := range map[string]int{
		`a { color: #fff; }`: 1, `@media (x) { a { color: rgb(0 0 0); background: white } }`: 2, `#add { color: var(--text); }`: 0,
		`a { color: color-mix(in oklab, var(--a), var(--b)); white-space: nowrap; }`: 0, `/* #fff */ a { border: 1px solid transparent }`: 0,
	} {
		if got := coloursOf(style); len(got) != want {
			t.Errorf("%s has the colours %q, want %d", style, got, want)
		}
	}
	for name, style := range read(t, inStyles) {
		if name == "style/tokens.css" {
			continue
		}
		for _, c := range coloursOf(style) {
			t.Errorf("%s has the colour %s: make it a token", name, c)
		}
	}
}
