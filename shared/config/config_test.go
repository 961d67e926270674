package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// deployed is a set of settings that a deployed process starts with.
var deployed = map[string]string{
	"K_SERVICE": "catalog", "FUNCTION_TARGET": "catalog", "EDGE_ADDRESS_HEADER": "X-Client-Address", "BUILD": "abc1234", "BACKEND": "cloud",
	"GOOGLE_CLOUD_PROJECT": "p", "BASE_URL": "https://m.example", "HOP_URL": "https://hop.example",
	"LEGACY_URL": "https://legacy.example",
}

func TestDefaults(t *testing.T) {
	c, err := Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Port != 8080 || c.Backend != "embedded" || c.Catalog != "live" || c.Deployed() {
		t.Errorf("defaults are %+v", c)
	}
}

func TestDeployed(t *testing.T) {
	c, err := Parse(deployed)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Deployed() || c.BaseURL != "https://m.example" {
		t.Errorf("settings are %+v", c)
	}
}

// TestOwnHosts checks that the hosts of the service come in the form by which
// hosts are compared, however the settings write them.
func TestOwnHosts(t *testing.T) {
	c, err := Parse(map[string]string{"BASE_URL": "https://Main.Example", "HOP_URL": "https://hop.example.:8443", "LEGACY_URL": "http://[2001:DB8::1]:80"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"main.example", "hop.example", "2001:db8::1"}, c.OwnHosts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// longKey is a secret of a setting that is refused.
var longKey = strings.Repeat("k", 32)

// TestRefusals checks that everything that is wrong is named in one message.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name     string
		base     map[string]string
		vars     map[string]string
		problems []string
	}{
		{"values", nil, map[string]string{
			"PORT": "http", "BASE_URL": "m.example", "HOP_URL": "https://u:p@hop.example", "LEGACY_URL": "https://l.example/",
			"BACKEND": "disk", "CATALOGO_TOKEN": "short", "METRICS_TOKEN": "has spaces, although it is long",
			"EDGE_COUNTRY_HEADER": "X Country", "ORIGIN_ALLOW": "localhost", "CONTACT_EMAIL": "Nobody <a@b.example>", "LOG_LEVEL": "loud", "RADIO_BROWSER_URL": "ftp://x",
			"IPTV_ORG_URL": "https://x.example?y=z", "HOP_TICKET_KEYS": "short", "PEOPLE_KEYS": "short", "GUEST_KEYS": "a:short", "ACCOUNT_KEYS": "a:" + strings.Repeat("x", 32) + ",Short",
			"HOP_FREE_MINUTES": "1441", "GUEST_BURST": "0", "BUDGET_FACTOR": "0", "EDGE_ADDRESS_HEADER": "X:Y", "JOBS_TOKEN": "short",
			"MAIL_SMTP": "smtp.example", "MAIL_FROM": "Nobody <a@b.example>", "MAIL_USER": "m", "MAIL_WORKERS": "65",
		}, []string{
			"HOP_TICKET_KEYS is not a valid key ring: each secret must have at least 32", "PEOPLE_KEYS is not", "GUEST_KEYS is not",
			"ACCOUNT_KEYS is not a valid key ring: entry 2 must be name:secret", "BUDGET_FACTOR must be", "GUEST_BURST must be", "HOP_FREE_MINUTES must be", "EDGE_ADDRESS_HEADER is not",
			"MAIL_SMTP must be host:port", "MAIL_FROM is not", "MAIL_USER and MAIL_PASSWORD must", "MAIL_WORKERS must be",
			"PORT is not a valid int", "BASE_URL must be an http", "HOP_URL must be", "LEGACY_URL must be", "BACKEND must be",
			"CATALOGO_TOKEN must have", "METRICS_TOKEN must have", "JOBS_TOKEN must have", "EDGE_COUNTRY_HEADER is not", "ORIGIN_ALLOW has an entry", "CONTACT_EMAIL is not",
			"LOG_LEVEL is not a valid slog.Level", "RADIO_BROWSER_URL must be", "IPTV_ORG_URL must be",
		}},
		{"port", nil, map[string]string{"PORT": "70000"}, []string{"PORT must be a port"}},
		{"port of metrics", nil, map[string]string{"METRICS_PORT": "70000"}, []string{"METRICS_PORT must be 0, or a port"}},
		{"port of metrics, negative", nil, map[string]string{"METRICS_PORT": "-1"}, []string{"METRICS_PORT must be 0, or a port"}},
		{"one port for both", nil, map[string]string{"PORT": "9000", "METRICS_PORT": "9000"}, []string{"METRICS_PORT must be 0, or a port"}},
		{"cloud", nil, map[string]string{"BACKEND": "cloud"}, []string{"GOOGLE_CLOUD_PROJECT is missing"}},
		{"deployed", nil, map[string]string{"K_SERVICE": "x"}, []string{
			"EDGE_ADDRESS_HEADER is missing: a deployed process needs it, because without the caller's address every caller counts as",
			"BASE_URL is missing", "HOP_URL is missing", "LEGACY_URL is missing", "BUILD is missing",
			"BACKEND is embedded",
		}},
		{"holes", deployed, map[string]string{
			"ORIGIN_ALLOW": "127.0.0.1:80", "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "JOBS_TOKEN": "a token of sixteen", "MAIL_FOLDER": "mail",
		}, []string{
			"MAIL_FOLDER must not be set",
			"ORIGIN_ALLOW must not be set", "FIRESTORE_EMULATOR_HOST must not be set", "JOBS_TOKEN must not be set",
		}},
		{"half a verification", nil, map[string]string{"HUMAN_SECRET": "s"}, []string{"HUMAN_VERIFY_URL, HUMAN_SECRET, HUMAN_SITE_KEY and HUMAN_SCRIPT must be set together"}},
		{"a verification in the clear", nil, map[string]string{
			"HUMAN_SECRET": "s", "HUMAN_SITE_KEY": "k", "HUMAN_VERIFY_URL": "http://p.example/siteverify", "HUMAN_SCRIPT": "javascript:x",
		}, []string{"HUMAN_VERIFY_URL must be an https URL", "HUMAN_SCRIPT must be an https URL"}},
		{"mail from nobody", nil, map[string]string{"MAIL_SMTP": "smtp.example:465"}, []string{"MAIL_SMTP and MAIL_FROM must be set together"}},
		{"payments", nil, map[string]string{
			"PAYMENT_TO": "0x857b", "PAYMENT_NETWORK": "solana", "PAYMENT_FACILITATORS": "https://f.example/", "PAYMENT_RPC": "node", "PAYMENT_FAUCET": "faucet",
		}, []string{
			"PAYMENT_TO must be 0x", "PAYMENT_NETWORK must be", "PAYMENT_FACILITATORS must be", "PAYMENT_RPC must be", "PAYMENT_FAUCET must be",
		}},
		{"payments to nobody", nil, map[string]string{"PAYMENT_FACILITATORS": "https://f.example"}, []string{"PAYMENT_TO and PAYMENT_FACILITATORS must be set together"}},
		{"payments that others read", deployed, map[string]string{
			"PAYMENT_TO": "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", "PAYMENT_FACILITATORS": "https://f.example,http://g.example", "PAYMENT_RPC": "http://node.example",
		}, []string{
			"PAYMENT_FACILITATORS must be https when", "PAYMENT_RPC must be https when",
		}},
		{"real money without a node", deployed, map[string]string{
			"PAYMENT_TO": "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", "PAYMENT_FACILITATORS": "https://f.example",
		}, []string{"PAYMENT_RPC is missing"}},
		{"half a scheduler", nil, map[string]string{"JOBS_AUDIENCE": "https://jobs.example"}, []string{"JOBS_AUDIENCE and JOBS_CALLER must be set together"}},
		{"a scheduler that cannot be", nil, map[string]string{"JOBS_AUDIENCE": "jobs", "JOBS_CALLER": "nobody"}, []string{
			"JOBS_AUDIENCE must be an http", "JOBS_CALLER is not",
		}},
		{"settings of an earlier version", nil, map[string]string{
			"GUEST_KEY": longKey, "GUEST_KEY_PREVIOUS": longKey, "HOP_TICKET_KEY": longKey, "HOP_TICKET_KEY_PREVIOUS": longKey, "PEOPLE_KEY": longKey,
		}, []string{
			"GUEST_KEY is not read any more: move its value to GUEST_KEYS", "GUEST_KEY_PREVIOUS is not read any more",
			"HOP_TICKET_KEY is not read any more: move its value to HOP_TICKET_KEYS", "HOP_TICKET_KEY_PREVIOUS is not",
			"PEOPLE_KEY is not read any more: move its value to PEOPLE_KEYS",
		}},
	} {
		vars := maps.Clone(test.vars)
		for name, value := range test.base {
			vars[name] = value
		}
		_, err := Parse(vars)
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		for _, want := range test.problems {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the message has no %q: %v", test.name, want, err)
			}
		}
		if strings.Contains(err.Error(), "short\n") || strings.Contains(err.Error(), "has spaces, ") || strings.Contains(err.Error(), longKey) {
			t.Errorf("%s: the message shows a secret: %v", test.name, err)
		}
	}
}

// TestFreeMinutes checks that a deployed process limits minutes unless it is
// told not to, and then refuses to start without what it counts them by.
func TestFreeMinutes(t *testing.T) {
	meter := Requirement{Process: "the hop", Meter: []string{"PEOPLE_KEYS"}}
	keyed := map[string]string{"PEOPLE_KEYS": longKey}
	for _, test := range []struct {
		name    string
		base    map[string]string
		minutes string // the setting; empty when it is not set
		with    map[string]string
		require Requirement
		want    int
		missing []string
	}{
		{"local", nil, "", nil, meter, 0, nil},
		{"local with a limit", nil, "60", nil, meter, 60, nil},
		{"deployed", deployed, "", keyed, meter, 120, nil},
		{"deployed without a limit", deployed, "0", nil, meter, 0, nil},
		{"deployed with a limit of its own", deployed, "60", keyed, meter, 60, nil},
		{"deployed, and each restart forgets", deployed, "", nil, meter, 0, meter.Meter},
		{"deployed, shown and not counted", deployed, "", nil, Requirement{Process: "the function describe"}, 120, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			vars := map[string]string{"HOP_FREE_MINUTES": test.minutes}
			maps.Copy(vars, test.base)
			maps.Copy(vars, test.with)
			c, err := parse(vars, func(Config) Requirement { return test.require })
			if c.FreeMinutes != test.want || (err == nil) != (test.missing == nil) {
				t.Fatalf("%d minutes, %v; want %d", c.FreeMinutes, err, test.want)
			}
			for _, name := range test.missing {
				if !strings.Contains(err.Error(), name+" is missing") {
					t.Errorf("the message does not ask for %s: %v", name, err)
				}
			}
		})
	}
}

// TestTogether checks that settings that go together are checked where a process reads all
// of them.
func TestTogether(t *testing.T) {
	wallet := map[string]string{"PAYMENT_TO": "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"}
	page := map[string]string{"HUMAN_SITE_KEY": "site", "HUMAN_SCRIPT": "https://human.example/api.js"}
	for _, test := range []struct {
		name  string
		vars  map[string]string
		reads []string
		want  string
	}{
		{"one that is shown", wallet, []string{"PAYMENT_TO"}, ""},
		{"one of two", wallet, []string{"PAYMENT_FACILITATORS", "PAYMENT_TO"}, "PAYMENT_TO and PAYMENT_FACILITATORS must be set together"},
		{"one of all", wallet, nil, "PAYMENT_TO and PAYMENT_FACILITATORS must be set together"},
		{"those of pages", page, []string{"HUMAN_SCRIPT", "HUMAN_SITE_KEY"}, ""},
		{"half of those of pages", map[string]string{"HUMAN_SITE_KEY": "site"}, []string{"HUMAN_SCRIPT", "HUMAN_SITE_KEY"}, "HUMAN_SITE_KEY and HUMAN_SCRIPT must be set together"},
		{"those of pages, of all", page, nil, "HUMAN_VERIFY_URL, HUMAN_SECRET, HUMAN_SITE_KEY and HUMAN_SCRIPT must be set together"},
		{"a page's script without TLS", map[string]string{"HUMAN_SITE_KEY": "site", "HUMAN_SCRIPT": "http://human.example/api.js"}, []string{"HUMAN_SCRIPT", "HUMAN_SITE_KEY"}, "HUMAN_SCRIPT must be an https URL"},
	} {
		_, err := ParseFor(test.vars, func(Config) Requirement { return Requirement{Process: "the process", Reads: test.reads} })
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestRequirements checks that settings a process requires are named with the
// other problems, in one message.
func TestRequirements(t *testing.T) {
	need := Requirement{Process: "the function x", Settings: []string{"GUEST_KEYS", "JOBS_AUDIENCE|JOBS_TOKEN", "EVENTS_TOKEN"}}
	_, err := parse(map[string]string{"PORT": "0", "EVENTS_TOKEN": strings.Repeat("e", 16)}, func(Config) Requirement { return need })
	want := "settings:\n" +
		"GUEST_KEYS is missing, and the function x cannot work without it\n" +
		"JOBS_AUDIENCE or JOBS_TOKEN is missing, and the function x cannot work without it\n" +
		"PORT must be a port between 1 and 65535"
	if err == nil || err.Error() != want {
		t.Errorf("the message is\n%v\nwant\n%s", err, want)
	}
	for _, name := range []string{"JOBS_TOKEN", "JOBS_AUDIENCE"} {
		vars := map[string]string{"GUEST_KEYS": strings.Repeat("g", 32), "EVENTS_TOKEN": strings.Repeat("e", 16), name: "https://jobs.example", "JOBS_CALLER": "s@x.example"}
		if name == "JOBS_TOKEN" {
			delete(vars, "JOBS_CALLER")
		}
		if _, err := parse(vars, func(Config) Requirement { return need }); err != nil {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

// TestValue checks that a setting is found by its name.
func TestValue(t *testing.T) {
	c := Config{CatalogToken: "a", Port: 1}
	for name, want := range map[string]string{"CATALOGO_TOKEN": "a", "METRICS_TOKEN": "", "PORT": "", "NONE": "", "": ""} {
		if got := c.Value(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestExample checks the form of the example file: each setting has a meaning,
// the processes that read it, and a name.
func TestExample(t *testing.T) {
	text := Example(func(name string) string { return "Read by the readers of " + name + "." })
	for _, name := range Names() {
		if !strings.Contains(text, "\n# Read by the readers of "+name+".\n#"+name+"=") {
			t.Errorf("%s is not in the example with what reads it", name)
		}
	}
	if strings.Contains(text, "\n# \n") || strings.Contains(text, "\n#=") {
		t.Error("a setting has no meaning or no name")
	}
}

const stack = `{
	"project": "demo", "firestore": {"rules": "x"},
	"emulators": {"firestore": {"host": "127.0.0.1", "port": 1}, "pubsub": {"host": "127.0.0.1", "port": 2}},
	"services": {"gateway": {"host": "127.0.0.1", "port": 3}},
	"topics": {"t": {"push": {"function": "f"}, "deadLetter": "d", "maxAttempts": 5}},
	"jobs": {"catalog-reload": {"every": "6h", "path": "/x"}},
	"backups": {"every": "24h", "keep": 7},
	"edge": {"country": "BR"}
}`

func TestReadStack(t *testing.T) {
	s, err := ReadStack(write(t, stack))
	if err != nil {
		t.Fatal(err)
	}
	want := Stack{
		Project:   "demo",
		Emulators: Emulators{Listen{"127.0.0.1", 1}, Listen{"127.0.0.1", 2}},
		Services:  map[string]Listen{"gateway": {"127.0.0.1", 3}},
		Topics:    map[string]Topic{"t": {Push{"f"}, "d", 5}},
		Jobs:      map[string]JobRun{"catalog-reload": {Duration{6 * time.Hour}, "/x"}},
		Backups:   Backups{Duration{24 * time.Hour}, 7},
		Edge:      Edge{"BR"},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("stack (-want +got):\n%s", diff)
	}
	if got := s.Services["gateway"].Addr(); got != "127.0.0.1:3" {
		t.Errorf("gateway listens at %s", got)
	}
}

func TestReadStackRefusals(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{`"demo"`, `""`, "project is missing"},
		{`"port": 2`, `"port": 1`, "emulators.firestore and emulators.pubsub are both at 127.0.0.1:1"},
		{`"port": 3`, `"port": 70000`, "services.gateway must have a host and a port"},
		{`"6h"`, `"often"`, `"often" must be a duration`},
		{`"6h"`, `"-6h"`, `"-6h" must be a duration`},
		{`"every": "6h", `, ``, "job catalog-reload must have a positive duration"},
		{`"edge"`, `edge`, "invalid character"},
		{`"keep": 7`, `"keep": 0`, "backups.keep must be at least 1"},
		{`"BR"`, `"Brazil"`, "edge.country must be an ISO 3166-1 alpha-2 code"},
		{stack, stack + "{}", "after top-level value"},
	} {
		_, err := ReadStack(write(t, strings.Replace(stack, test.old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %s: %v, want %s", test.new, test.old, err, test.want)
		}
	}
	if _, err := ReadStack(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is read")
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "emulator.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRepositoryStack reads the layout that the repository carries.
func TestRepositoryStack(t *testing.T) {
	if _, err := ReadStack("../../emulator.json"); err != nil {
		t.Error(err)
	}
}

// TestKinds tells secrets, and settings that a deployed process refuses, from others.
func TestKinds(t *testing.T) {
	for name, want := range map[string][2]bool{
		"GUEST_KEYS": {true, false}, "MAIL_PASSWORD": {true, false}, "JOBS_TOKEN": {true, true}, "MAIL_FOLDER": {false, true},
		"BASE_URL": {false, false}, "JOBS_AUDIENCE": {false, false}, "NOTHING": {false, false},
	} {
		if got := [2]bool{Secret(name), LocalOnly(name)}; got != want {
			t.Errorf("%s: secret and for local use alone %v, want %v", name, got, want)
		}
	}
	for _, name := range localOnly {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s is not a setting", name)
		}
	}
}
