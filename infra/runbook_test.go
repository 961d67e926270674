package infra

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manuals are the pages whose commands are checked.
var manuals = []string{"../docs/deploying.md", "README.md"}

// tools are the programs that say themselves which commands and flags they have. Their help
// takes a second for each command, so make infra-check asks for this check.
const askTools = "MIRAMUNDO_RUNBOOK"

// A command is a call of a tool in a manual.
type command struct {
	tool  string
	words []string // the command with its arguments, without flags
	flags []string // such as --region
	line  string
}

// commands returns the calls of terraform and gcloud in the blocks of shell of a page, and
// in code within its text.
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
	if len(words) == 0 || words[0] != "terraform" && words[0] != "gcloud" {
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

// TestRunbook holds each call in the manuals to the help of its tool: the command exists, and
// has the flags.
func TestRunbook(t *testing.T) {
	if os.Getenv(askTools) == "" {
		t.Skip("make infra-check asks the tools for their help")
	}
	helps := map[string]string{}
	for _, page := range manuals {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		found := commands(string(text))
		for _, c := range found {
			if _, err := exec.LookPath(c.tool); err != nil {
				if os.Getenv("CI") == "true" && c.tool == "terraform" {
					t.Fatal(err)
				}
				t.Logf("not checked, because %s is not installed: %s", c.tool, c.line)
				continue
			}
			if problem := c.check(helps); problem != "" {
				t.Errorf("%s: %s: %s", page, c.line, problem)
			}
		}
	}
}

// TestRunbookFinds checks that wrong commands and flags are found.
func TestRunbookFinds(t *testing.T) {
	if os.Getenv(askTools) == "" {
		t.Skip("make infra-check asks the tools for their help")
	}
	for line, want := range map[string]string{
		"terraform -chdir=infra aply":                           "no command",
		"terraform -chdir=infra apply -variable=x":              "no flag -variable",
		"gcloud run services logs peek aggregate":               "no command",
		"gcloud scheduler jobs run catalog-reload --place=here": "no flag --place",
	} {
		c, _ := parse(line)
		if _, err := exec.LookPath(c.tool); err != nil {
			continue
		}
		if got := c.check(map[string]string{}); !strings.Contains(got, want) {
			t.Errorf("%s: found %q, want %q", line, got, want)
		}
	}
}

// check returns what the help of the tool says is wrong; helps keeps what was asked before.
func (c command) check(helps map[string]string) string {
	name, help := c.help(helps)
	if help == "" {
		return "there is no command " + strings.Join(c.words, " ")
	}
	for _, flag := range c.flags {
		if flag == "-chdir" { // of terraform itself
			continue
		}
		plain := "--" + strings.TrimPrefix(strings.TrimLeft(flag, "-"), "no-")
		pattern := regexp.QuoteMeta(flag) + `\b`
		if c.tool == "gcloud" {
			pattern = `--(\[no-\])?` + regexp.QuoteMeta(strings.TrimLeft(plain, "-")) + `\b`
		}
		if !regexp.MustCompile(`(^|[^-\w])` + pattern).MatchString(help) {
			return fmt.Sprintf("%s has no flag %s", name, flag)
		}
	}
	return ""
}

// help returns the longest command that the words begin with, and its help; "" when the tool
// has none.
func (c command) help(helps map[string]string) (name, help string) {
	ask := func(words []string) string {
		name := c.tool + " " + strings.Join(words, " ")
		if text, ok := helps[name]; ok {
			return text
		}
		flag := "-help"
		if c.tool == "gcloud" {
			flag = "--help"
		}
		out, err := exec.Command(c.tool, append(slices.Clone(words), flag)...).CombinedOutput()
		text := plainText.ReplaceAllString(string(out), "")
		if err != nil || !strings.Contains(text, "SYNOPSIS") && !strings.Contains(text, "Usage: terraform [global options] "+words[0]) {
			text = ""
		}
		if strings.Contains(text, "SYNOPSIS") && strings.Contains(text, "GROUP | COMMAND") || strings.Contains(text, "is one of the following:") {
			text = "" // a group of commands
		}
		helps[name] = text
		return text
	}
	if len(c.words) == 0 {
		return "", ""
	}
	if c.tool == "terraform" {
		return "terraform " + c.words[0], ask(c.words[:1])
	}
	// Arguments are in capitals, or hold what no command has.
	n := slices.IndexFunc(c.words, func(w string) bool { return !regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(w) })
	if n < 0 {
		n = len(c.words)
	}
	for ; n > 1; n-- {
		if text := ask(c.words[:n]); text != "" {
			return "gcloud " + strings.Join(c.words[:n], " "), text
		}
	}
	return "", ""
}

// plainText matches what makes text bold or underlined.
var plainText = regexp.MustCompile("\x1b\\[[0-9;]*m|.\x08")
