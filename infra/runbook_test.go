package infra

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manual is the page whose commands are checked.
const manual = "../docs/deploying.md"

// tools are the programs that say which commands and flags they have: terraform and buildah
// by their help, gcloud by the list from which it completes command lines.
var tools = []string{"terraform", "gcloud", "buildah"}

// A command is a call of a tool in a manual.
type command struct {
	tool  string
	words []string // the command with its arguments, without flags
	flags []string // such as --region
	line  string
}

// commands returns the calls of tools in the blocks of shell of a page, and in code within
// its text.
func commands(page string) (all []command) {
	var lines []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page, -1) {
		lines = append(lines, strings.Split(block[1], "\n")...)
	}
	for _, code := range regexp.MustCompile("`((?:terraform|gcloud) [^`\n]+)`").FindAllStringSubmatch(page, -1) {
		lines = append(lines, code[1])
	}
	for _, line := range lines {
		for call := range strings.SplitSeq(line, " | ") {
			if c, ok := parse(strings.TrimSpace(call)); ok {
				all = append(all, c)
			}
		}
	}
	return all
}

// parse splits a call into words and flags. The value of a flag of terraform may follow it.
func parse(line string) (c command, ok bool) {
	words := strings.Fields(line)
	if len(words) < 2 || !slices.Contains(tools, words[0]) {
		return c, false
	}
	c = command{tool: words[0], line: line}
	for i, w := range words[1:] {
		switch {
		case strings.HasPrefix(w, "-"):
			name, _, _ := strings.Cut(w, "=")
			c.flags = append(c.flags, name)
		case c.tool == "terraform" && slices.Contains([]string{"-var", "-var-file"}, words[i]):
		default:
			c.words = append(c.words, w)
		}
	}
	return c, true
}

// TestCommands parses calls.
func TestCommands(t *testing.T) {
	page := "```sh\nterraform -chdir=infra apply -var images=null -var build=none\nopenssl rand 3 | gcloud secrets versions add KEY --data-file=-\n```\n`terraform fmt -check` and `go test`\n```\nterraform not here\n```\n"
	var got []string
	for _, c := range commands(page) {
		got = append(got, fmt.Sprint(c.tool, c.words, c.flags))
	}
	want := []string{"terraform[apply] [-chdir -var -var]", "gcloud[secrets versions add KEY] [--data-file]", "terraform[fmt] [-check]"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestRunbook holds each call in the manual, and those of the script deploy, to the help of
// its tool: the command exists, and has the flags.
func TestRunbook(t *testing.T) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]command{manual: commands(string(text))}
	for _, args := range [][]string{{"-n", "release"}, {"-n", "rollback", "abc1234"}} {
		_, printed, err := deploy(t, nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(printed) {
			if c, ok := parse(strings.TrimPrefix(line, "+ ")); ok {
				calls["deploy"] = append(calls["deploy"], c)
			}
		}
	}
	h := &helps{}
	for page, found := range calls {
		if len(found) < 3 {
			t.Errorf("%s has %d calls", page, len(found))
		}
		for _, c := range found {
			if !h.has(c.tool) {
				t.Logf("not checked, because %s is not installed: %s", c.tool, c.line)
				continue
			}
			if problem := h.check(c); problem != "" {
				t.Errorf("%s: %s: %s", page, c.line, problem)
			}
		}
	}
}

// TestRunbookFinds checks that wrong commands and flags are found.
func TestRunbookFinds(t *testing.T) {
	h := &helps{}
	for line, want := range map[string]string{
		"terraform -chdir=infra aply":                           "does not have the command",
		"terraform -chdir=infra apply -variable=x":              "no flag -variable",
		"gcloud run services logs peek aggregate":               "does not have the command",
		"gcloud scheduler jobs run catalog-reload --place=here": "no flag --place",
		"buildah build --goal functions .":                      "no flag --goal",
		"buildah compose":                                       "does not have the command",
	} {
		c, _ := parse(line)
		if !h.has(c.tool) {
			t.Logf("%s is not installed", c.tool)
		} else if got := h.check(c); !strings.Contains(got, want) {
			t.Errorf("%s: found %q, want %q", line, got, want)
		}
	}
}

// helps is what tools say about their commands.
type helps struct {
	texts map[string]string // by the command
	sdk   *group            // of gcloud
}

// A group is a command of gcloud, or a group of them.
type group struct {
	Commands map[string]*group          `json:"commands"`
	Flags    map[string]json.RawMessage `json:"flags"`
}

// has reports whether a tool is there to be asked.
func (h *helps) has(tool string) bool {
	path, err := exec.LookPath(tool)
	if err != nil || tool != "gcloud" || h.sdk != nil {
		return err == nil
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return false
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "../data/cli/gcloud_completions.py"))
	_, tree, ok := strings.Cut(string(text), "STATIC_COMPLETION_CLI_TREE = ")
	if err != nil || !ok || json.NewDecoder(strings.NewReader(tree)).Decode(&h.sdk) != nil {
		return false
	}
	return true
}

// check returns what is wrong with a call, as the tool says.
func (h *helps) check(c command) string {
	if c.tool == "gcloud" {
		return h.checkCloud(c)
	}
	if len(c.words) == 0 {
		return "the command is missing"
	}
	help := h.text(c.tool, c.words[0])
	if help == "" {
		return c.tool + " does not have the command " + c.words[0]
	}
	for _, flag := range c.flags {
		if flag == "-chdir" { // of terraform itself
			continue
		}
		if !regexp.MustCompile(`(^|[^-\w])` + regexp.QuoteMeta(flag) + `\b`).MatchString(help) {
			return c.words[0] + " has no flag " + flag
		}
	}
	return ""
}

// text returns the help of a command of terraform or buildah; "" when the tool does not
// have the command.
func (h *helps) text(tool, name string) string {
	if text, ok := h.texts[tool+name]; ok {
		return text
	}
	flag, start := "--help", "buildah "+name
	if tool == "terraform" {
		flag, start = "-help", "Usage: terraform [global options] "+name
	}
	out, err := exec.Command(tool, name, flag).CombinedOutput()
	text := string(out)
	if err != nil || !strings.Contains(text, start) {
		text = ""
	}
	if h.texts == nil {
		h.texts = map[string]string{}
	}
	h.texts[tool+name] = text
	return text
}

// checkCloud checks a call of gcloud.
func (h *helps) checkCloud(c command) string {
	at, path := h.sdk, "gcloud"
	for _, w := range c.words {
		if next := at.Commands[w]; next != nil {
			at, path = next, path+" "+w
		} else if len(at.Commands) > 0 {
			return path + " does not have the command " + w
		}
	}
	if len(at.Commands) > 0 {
		return path + " is a group of commands: name one of them"
	}
	for _, flag := range c.flags {
		plain := "--" + strings.TrimPrefix(strings.TrimPrefix(flag, "--"), "no-") // a flag that is set or not
		if at.Flags[flag] == nil && at.Flags[plain] == nil && h.sdk.Flags[flag] == nil {
			return path + " has no flag " + flag
		}
	}
	return ""
}
