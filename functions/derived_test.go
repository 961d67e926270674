package functions

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	chatroom "miramundo.dev/chatroom/server"
	"miramundo.dev/hop/server"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
)

// The files that these tests compare derive from the table of functions and
// from what the containers declare. `go test ./functions -update` rewrites them.

// processes lists what every function and container declares.
func processes() []compose.Process {
	return append(Processes(), server.Process, chatroom.Process)
}

// TestExample keeps .env.example in step with the settings and with the
// processes that read them.
func TestExample(t *testing.T) {
	golden(t, "../.env.example", config.Example(usedBy))
}

// usedBy returns the sentence of .env.example about the processes that read a
// setting.
func usedBy(setting string) string {
	if compose.ForEveryProcess(setting) {
		return "Read by every process."
	}
	var names []string
	for _, p := range processes() {
		if slices.Contains(p.Reads(), setting) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return others[setting]
	}
	return "Read by " + strings.Join(names, ", ") + "."
}

// machine is the sentence about settings of the whole on one machine.
const machine = "Read by miramundo."

// others are the settings that no function or container declares.
var others = map[string]string{
	"FUNCTION_TARGET": "Read by functions/serve.",
	"LISTEN":          machine, "LISTEN_TLS": machine, "ACME_DIRECTORY": machine, "ACME_ROOTS": machine, "ACME_EMAIL": machine,
	"BACKUP_DIR": machine, "BACKUP_KEEP": machine,
}

// TestSettings checks that each setting is declared by a process, and that each
// declared setting exists.
func TestSettings(t *testing.T) {
	for _, name := range config.Names() {
		if usedBy(name) == "" {
			t.Errorf("no process declares that it reads %s", name)
		}
	}
	for _, p := range processes() {
		for _, name := range p.Reads() {
			if !slices.Contains(config.Names(), name) {
				t.Errorf("%s declares the setting %s, which does not exist", p.Name, name)
			}
		}
	}
}

// TestDeployedSettings checks that each process starts, deployed, with the settings that
// it declares and no other, of a service in which everything is set.
func TestDeployedSettings(t *testing.T) {
	const key = "main:a-secret-of-the-tests-that-is-long-enough"
	whole := map[string]string{
		"BASE_URL": "https://mira.example", "HOP_URL": "https://hop.example", "LEGACY_URL": "http://plain.example", "BUILD": "abc1234",
		"K_SERVICE": "miramundo", "BACKEND": "cloud", "GOOGLE_CLOUD_PROJECT": "project", "EDGE_ADDRESS_HEADER": "X-Client-Address",
		"GUEST_KEYS": key, "ACCOUNT_KEYS": key, "PEOPLE_KEYS": key, "HOP_TICKET_KEYS": key,
		"CATALOGO_TOKEN": "operator-token-of-the-tests", "METRICS_TOKEN": "operator-token-of-the-tests", "EVENTS_TOKEN": "events-token-of-the-tests",
		"JOBS_AUDIENCE": "https://jobs.example", "JOBS_CALLER": "scheduler@project.example",
		"MAIL_SMTP": "mail.example:587", "MAIL_FROM": "mail@mira.example", "MAIL_USER": "mail", "MAIL_PASSWORD": "secret",
		"PAYMENT_TO": "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", "PAYMENT_FACILITATORS": "https://pay.example", "PAYMENT_RPC": "https://node.example",
		"HUMAN_VERIFY_URL": "https://human.example/siteverify", "HUMAN_SECRET": "secret", "HUMAN_SITE_KEY": "site", "HUMAN_SCRIPT": "https://human.example/api.js",
	}
	for _, p := range processes() {
		vars := map[string]string{}
		for name, value := range whole {
			if compose.ForEveryProcess(name) || slices.Contains(p.Reads(), name) {
				vars[name] = value
			}
		}
		if _, err := config.ParseFor(vars, func(config.Config) config.Requirement { return p.Requirement() }); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// TestLocalStack keeps the topics and the jobs of emulator.json in step with the
// table.
func TestLocalStack(t *testing.T) {
	const file = "../emulator.json"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for name, lines := range map[string][]string{"topics": topicLines(processes()...), "jobs": jobLines(processes()...)} {
		block := regexp.MustCompile(`(?s)"` + name + `": \{.*?\n  \}`)
		if !block.MatchString(text) {
			t.Fatalf("%s has no block %s", file, name)
		}
		text = block.ReplaceAllString(text, fmt.Sprintf("%q: {\n    %s\n  }", name, strings.Join(lines, ",\n    ")))
	}
	golden(t, file, text)
}

func topicLines(processes ...compose.Process) (lines []string) {
	for _, p := range processes {
		for _, topic := range p.Receives {
			lines = append(lines, fmt.Sprintf(`%q: { "push": { "function": %q }, "deadLetter": %q, "maxAttempts": %d }`, topic, p.Name, topic+"-dead", bus.Patient.Attempts))
		}
	}
	return lines
}

func jobLines(processes ...compose.Process) (lines []string) {
	for _, p := range processes {
		for _, s := range p.Schedules {
			lines = append(lines, fmt.Sprintf(`%q: { "every": %q, "path": %q }`, s.Job, shortDuration(s), "/jobs/"+s.Job))
		}
	}
	return lines
}

// TestPublished checks that each topic is published by a process and received by
// one.
func TestPublished(t *testing.T) {
	var published, received []string
	for _, p := range processes() {
		published, received = append(published, p.Publishes...), append(received, p.Receives...)
	}
	slices.Sort(published)
	slices.Sort(received)
	if diff := cmp.Diff(received, slices.Compact(published)); diff != "" {
		t.Errorf("(-received +published):\n%s", diff)
	}
}
