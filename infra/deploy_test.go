package infra

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tests of deploy run the script with stand-ins for the programs that it calls. A
// stand-in writes its call to a log, and answers by what the folder has for it.

// standIn answers for every program. Files of the folder STATE say what is broken.
const standIn = `#!/bin/bash
name=${0##*/}
echo "$name $*" >>"$STATE/log"
case "$name $*" in
'git rev-parse'*) echo abc1234 ;;
'git status'*) cat "$STATE/dirty" 2>/dev/null ;;
'gcloud auth'*) echo token ;;
'gcloud artifacts'*) [ ! -e "$STATE/unknown" ] && echo sha256:bbb ;;
'buildah login'*) cat >/dev/null ;;
'buildah push'*) [ ! -e "$STATE/refused" ] && echo sha256:aaa >"$3" ;;
'terraform -chdir=infra output -json') if [ -e "$STATE/unreadable" ]; then exit 1; elif [ -e "$STATE/first" ]; then echo '{}'; else echo '{"release": {}}'; fi ;;
'terraform -chdir=infra output -json release') cat "$STATE/release" ;;
'terraform -chdir=infra output -raw registry') echo registry.example/images ;;
'terraform -chdir=infra output -raw base_url') echo https://tv.example.org ;;
'terraform -chdir=infra output -raw hop_url') echo https://hop.example.org ;;
'terraform -chdir=infra output -raw legacy_url') echo http://plain.example.org ;;
'terraform -chdir=infra plan'*)
  [ -e "$STATE/unplanned" ] && exit 1
  file=${*: -1}; cp "${file#-var-file=}" "$STATE/planned" ;;
'terraform -chdir=infra apply'*)
  cat "$STATE/planned" >>"$STATE/log"
  cp "$STATE/planned" "$STATE/release" # also of an apply that fails
  ! grep -q "$(cat "$STATE/failing" 2>/dev/null || echo 'nothing fails')" "$STATE/planned" ;;
'curl '*)
  url=${*: -1}
  case "$url" in
  *health) build=$(sed 's/.*"build": *"\([^"]*\)".*/\1/' "$STATE/release"); grep -qx "$build" "$STATE/broken" 2>/dev/null || echo "{\"ok\":true,\"build\":\"$build\"}" ;;
  *jobs/probe) echo 404 ;;
  *events) echo 405 ;;
  *) echo '<html> "total": "error":"not_found"' ;;
  esac ;;
esac
`

// deploy runs the script, and returns what it printed and the calls that it made, without
// the folder of its files. What it asks is answered with the state "answer".
func deploy(t *testing.T, state map[string]string, args ...string) (calls, printed string, err error) {
	t.Helper()
	tools, kept := t.TempDir(), t.TempDir()
	for _, name := range []string{"git", "gcloud", "buildah", "terraform", "curl", "sleep"} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(standIn), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range state {
		if err := os.WriteFile(filepath.Join(kept, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("bash", append([]string{"deploy"}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"), "STATE="+kept, "TMPDIR="+t.TempDir())
	cmd.Stdin = strings.NewReader(state["answer"] + "\n")
	out, err := cmd.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(kept, "log")) // the file is missing when no tool was called
	return temporary.ReplaceAllString(string(log), "TMP/"), temporary.ReplaceAllString(string(out), "TMP/"), err
}

// temporary matches the folder of a run.
var temporary = regexp.MustCompile(`/[^ =]*/tmp\.[^/]*/`)

// changes returns the calls that change something, with what was deployed.
func changes(calls string) (all []string) {
	for line := range strings.Lines(calls) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "buildah") || strings.HasPrefix(line, "{") || strings.Contains(line, " apply ") {
			all = append(all, line)
		}
	}
	return all
}

const (
	earlier = `{"build":"0000001","images":{"functions":"f@sha256:1","hop":"h@sha256:1","chatroom":"c@sha256:1"}}`
	current = `{"build": "abc1234", "images": {"functions": "registry.example/images/functions@sha256:aaa","hop": "registry.example/images/hop@sha256:aaa","chatroom": "registry.example/images/chatroom@sha256:aaa"}}`
)

// building are the calls that make and push the images.
var building = []string{
	"buildah login --username oauth2accesstoken --password-stdin registry.example",
	"buildah build -f infra/Dockerfile --target functions -t registry.example/images/functions:abc1234 .",
	"buildah push --digestfile TMP/functions registry.example/images/functions:abc1234",
	"buildah build -f infra/Dockerfile --target hop -t registry.example/images/hop:abc1234 .",
	"buildah push --digestfile TMP/hop registry.example/images/hop:abc1234",
	"buildah build -f infra/Dockerfile --target chatroom -t registry.example/images/chatroom:abc1234 .",
	"buildah push --digestfile TMP/chatroom registry.example/images/chatroom:abc1234",
}

// applies is the call that changes what is deployed.
const applies = "terraform -chdir=infra apply TMP/plan"

// TestDeploy deploys, and rolls back what does not answer.
func TestDeploy(t *testing.T) {
	for _, test := range []struct {
		name  string
		state map[string]string
		args  []string
		want  []string // calls that change something
		says  string
		fails bool
	}{
		{
			name: "a release", state: map[string]string{"release": earlier}, args: []string{"-y", "release"},
			want: append(building[:7:7], applies, current), says: "deployed abc1234",
		},
		{
			name: "the first release", state: map[string]string{"answer": "yes", "first": "", "release": `{"build":"none","images":null}`}, args: []string{"release"},
			want: append(building[:7:7], applies, current), says: "deployed abc1234",
		},
		{
			name: "a release that does not answer", state: map[string]string{"answer": "yes", "release": earlier, "broken": "abc1234"}, args: []string{"release"},
			want: append(building[:7:7], applies, current,
				applies, earlier),
			says: "abc1234 was rolled back to 0000001", fails: true,
		},
		{
			name: "a first release that does not answer", state: map[string]string{"answer": "yes", "first": "", "release": `{"build":"none","images":null}`, "broken": "abc1234"}, args: []string{"release"},
			want: append(building[:7:7], applies, current),
			says: "no earlier release can be deployed again", fails: true,
		},
		{
			name: "a release that starts nowhere", state: map[string]string{"release": earlier, "failing": "abc1234"}, args: []string{"-y", "release"},
			want: append(building[:7:7], applies, current, applies, earlier), says: "abc1234 was rolled back to 0000001", fails: true,
		},
		{
			name: "a release that cannot be undone", state: map[string]string{"release": earlier, "failing": "images"}, args: []string{"-y", "release"},
			want: append(building[:7:7], applies, current, applies, earlier), says: "0000001 cannot be deployed again in whole", fails: true,
		},
		{
			name: "a release that is not wanted", state: map[string]string{"release": earlier, "answer": "no"}, args: []string{"release"},
			want: building, says: "nothing was changed", fails: true,
		},
		{
			name: "a release without a plan", state: map[string]string{"release": earlier, "unplanned": ""}, args: []string{"-y", "release"},
			want: building, says: "nothing was changed", fails: true,
		},
		{
			name: "a push that is refused", state: map[string]string{"release": earlier, "refused": ""}, args: []string{"release"},
			want: building[:3], fails: true,
		},
		{
			name: "changes that are not committed", state: map[string]string{"release": earlier, "dirty": " M infra/deploy"}, args: []string{"release"},
			says: "not committed", fails: true,
		},
		{
			name: "a rollback", state: map[string]string{"release": earlier}, args: []string{"-y", "rollback", "abc1234"},
			want: []string{applies, strings.ReplaceAll(current, "aaa", "bbb")}, says: "deployed abc1234",
		},
		{
			name: "a rollback to what is not in the registry", state: map[string]string{"release": earlier, "unknown": ""}, args: []string{"rollback", "abc1234"},
			fails: true,
		},
		{
			name: "a rollback that is cut short", state: map[string]string{"release": earlier, "failing": "abc1234"}, args: []string{"-y", "rollback", "abc1234"},
			want: []string{applies, strings.ReplaceAll(current, "aaa", "bbb")}, says: "abc1234 is not deployed in whole", fails: true,
		},
		{name: "a rollback to nothing", args: []string{"rollback", "main"}, says: "not the short id of a commit", fails: true},
		{
			name: "settings", state: map[string]string{"answer": "yes", "release": earlier}, args: []string{"apply"},
			want: []string{applies, earlier},
		},
		{
			name: "settings before the first release", state: map[string]string{"answer": "yes", "first": ""}, args: []string{"apply"},
			want: []string{applies, `{"build":"none","images":null}`},
		},
		{
			name: "settings without a state", state: map[string]string{"release": earlier, "unreadable": ""}, args: []string{"apply"},
			says: "the state cannot be read", fails: true,
		},
		{
			name: "settings that are refused half way", state: map[string]string{"release": earlier, "failing": "0000001"}, args: []string{"-y", "apply"},
			want: []string{applies, earlier}, says: "not everything was changed", fails: true,
		},
		{name: "a look without a state", state: map[string]string{"release": earlier, "unreadable": ""}, args: []string{"smoke"}, says: "the state cannot be read", fails: true},
		{name: "a look", state: map[string]string{"release": earlier}, args: []string{"smoke"}, says: "all parts answer"},
		{name: "a look at what is broken", state: map[string]string{"release": earlier, "broken": "0000001"}, args: []string{"smoke"}, says: "does not show", fails: true},
		{name: "nothing", says: "release", fails: true},
		{name: "an unknown flag", args: []string{"-x", "smoke"}, fails: true},
	} {
		calls, printed, err := deploy(t, test.state, test.args...)
		if (err != nil) != test.fails || !strings.Contains(printed, test.says) {
			t.Errorf("%s: %v, and it says %s", test.name, err, printed)
		}
		if diff := cmp.Diff(test.want, changes(calls)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestDryRun checks that a dry run shows the commands of a release and runs none of them.
func TestDryRun(t *testing.T) {
	calls, printed, err := deploy(t, nil, "-n", "release")
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	if diff := cmp.Diff("git rev-parse --short=7 HEAD\n", calls); diff != "" {
		t.Errorf("it runs (-want +got):\n%s", diff)
	}
	for _, want := range append(building[1:7:7], "terraform -chdir=infra plan -out=TMP/plan -var-file=TMP/release.tfvars.json", applies, "curl https://BASE/api/health") {
		if want = strings.ReplaceAll(want, "registry.example/images", "REGISTRY"); !strings.Contains(printed, "+ "+want) {
			t.Errorf("it does not show %s:\n%s", want, printed)
		}
	}
}
