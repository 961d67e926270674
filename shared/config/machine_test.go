package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// behindProxy is a set of settings with which a service starts behind a reverse proxy.
var behindProxy = map[string]string{
	"BASE_URL": "https://tv.example.org", "HOP_URL": "https://hop.tv.example.org", "LEGACY_URL": "http://plain.tv.example.org",
	"EDGE_ADDRESS_HEADER": "X-Real-IP",
}

// with returns vars with others over them. An empty value takes a setting away.
func with(vars, others map[string]string) map[string]string {
	all := maps.Clone(vars)
	maps.Copy(all, others)
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// ownTLS are the settings that a service of its own TLS has over behindProxy.
var ownTLS = map[string]string{"LISTEN": ":80", "LISTEN_TLS": ":443", "EDGE_ADDRESS_HEADER": ""}

// privateNetwork is a set of settings with which a service starts for a private network.
var privateNetwork = map[string]string{
	"BASE_URL": "http://192.168.1.10:8787", "HOP_URL": "http://192.168.1.10:8788", "LEGACY_URL": "http://192.168.1.10:8789", "LISTEN": ":8787,:8788,:8789",
}

func TestMachine(t *testing.T) {
	for _, test := range []struct {
		name   string
		vars   map[string]string
		listen []string
		secure bool
	}{
		{"nothing", map[string]string{}, []string{"127.0.0.1:8787", "127.0.0.1:8788", "127.0.0.1:8789"}, false},
		{"a proxy", behindProxy, []string{"127.0.0.1:8787"}, true},
		{"a proxy elsewhere", with(behindProxy, map[string]string{"LISTEN": "[::]:80, 10.0.0.1:8080"}), []string{"10.0.0.1:8080", "[::]:80"}, true},
		{"its own TLS", with(behindProxy, ownTLS), []string{":80"}, true},
		{"a private network", privateNetwork, []string{":8787", ":8788", ":8789"}, false},
		{"a proxy of a private network", with(privateNetwork, map[string]string{"LISTEN": "", "EDGE_ADDRESS_HEADER": "X-Real-IP"}), []string{"127.0.0.1:8787"}, false},
		{"for a developer, on loopback", map[string]string{"ORIGIN_ALLOW": "127.0.0.1:1", "MAIL_FOLDER": "mail"}, []string{"127.0.0.1:8787", "127.0.0.1:8788", "127.0.0.1:8789"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := ParseMachine(test.vars)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.listen, c.ListenAddrs()); diff != "" {
				t.Errorf("it listens (-want +got):\n%s", diff)
			}
			if c.Secure() != test.secure || !c.Production() || c.Deployed() {
				t.Errorf("secure %t, production %t, deployed %t", c.Secure(), c.Production(), c.Deployed())
			}
		})
	}
}

func TestMachineRefusals(t *testing.T) {
	for _, test := range []struct {
		name     string
		vars     map[string]string
		problems []string
	}{
		{"only an address", map[string]string{"BASE_URL": "https://tv.example.org"}, []string{
			"HOP_URL is missing: players fetch", "LEGACY_URL is missing: the player of", "EDGE_ADDRESS_HEADER is missing: name the header",
		}},
		{"of the cloud", map[string]string{"K_SERVICE": "x", "BACKEND": "cloud", "GOOGLE_CLOUD_PROJECT": "p"}, []string{"K_SERVICE must not be set", "BACKEND is cloud: this program"}},
		{"for developers", with(behindProxy, map[string]string{
			"ORIGIN_ALLOW": "127.0.0.1:80", "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "PUBSUB_EMULATOR_HOST": "127.0.0.1:2", "JOBS_TOKEN": "0123456789abcdef", "MAIL_FOLDER": "mail",
		}), []string{
			"ORIGIN_ALLOW must not be set: it is for developers", "FIRESTORE_EMULATOR_HOST must not", "PUBSUB_EMULATOR_HOST must not", "JOBS_TOKEN must not", "MAIL_FOLDER must not",
		}},
		{"places", with(behindProxy, map[string]string{"LISTEN": "8787, 127.0.0.1:http"}), []string{"LISTEN and LISTEN_TLS must be host:port", "LISTEN and LISTEN_TLS must be host:port"}},
		{"schemes", with(behindProxy, map[string]string{"HOP_URL": "http://hop.tv.example.org", "LEGACY_URL": "https://plain.tv.example.org"}), []string{"HOP_URL must be https", "LEGACY_URL must be http:"}},
		{"http in public", with(behindProxy, map[string]string{"BASE_URL": "http://tv.example.org"}), []string{"BASE_URL must be https: browsers"}},
		{"one host", with(behindProxy, map[string]string{"HOP_URL": "https://TV.example.org"}), []string{"BASE_URL and HOP_URL must have different hosts"}},
		{"one host with a final dot", with(behindProxy, map[string]string{"HOP_URL": "https://tv.example.org."}), []string{"BASE_URL and HOP_URL must have different hosts"}},
		{"one host with two ports", with(behindProxy, map[string]string{"LEGACY_URL": "http://hop.tv.example.org:8080"}), []string{"HOP_URL and LEGACY_URL must have different hosts"}},
		{"one port of a private network", with(privateNetwork, map[string]string{"HOP_URL": "http://192.168.1.10", "LEGACY_URL": "http://192.168.1.10:80"}), []string{"HOP_URL and LEGACY_URL must have different hosts"}},
		{"a name that is not in ASCII", with(behindProxy, map[string]string{"BASE_URL": "https://televisão.example.org"}), []string{"BASE_URL must have a host name in ASCII: write it as xn--"}},
		{"a path", with(behindProxy, map[string]string{"BASE_URL": "https://example.org/tv"}), []string{"BASE_URL must have no path"}},
		{"real money in the clear", with(behindProxy, map[string]string{
			"PAYMENT_TO": "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf", "PAYMENT_FACILITATORS": "http://f.example",
		}), []string{"PAYMENT_FACILITATORS must be https where the public pays", "PAYMENT_RPC is missing: a service that takes real money"}},
		{"TLS behind a proxy", with(behindProxy, map[string]string{"LISTEN": ":80", "LISTEN_TLS": ":443", "EDGE_COUNTRY_HEADER": "X-Country"}), []string{
			"EDGE_ADDRESS_HEADER must not be set beside LISTEN_TLS", "EDGE_COUNTRY_HEADER must not",
		}},
		{"TLS alone", with(with(behindProxy, ownTLS), map[string]string{"LISTEN": ""}), []string{"LISTEN is missing: beside LISTEN_TLS"}},
		{"TLS beside nothing", with(with(behindProxy, ownTLS), map[string]string{"LISTEN": " , "}), []string{"LISTEN is missing: beside LISTEN_TLS"}},
		{"a private network that is not reached", with(privateNetwork, map[string]string{"LISTEN": ""}), []string{"LISTEN must name the ports"}},
		{"a private network at loopback", with(privateNetwork, map[string]string{"LISTEN": "127.0.0.1:8787, [::1]:8787,localhost:8788"}), []string{"LISTEN must name the ports"}},
		{"TLS of what gets no certificate", with(with(behindProxy, ownTLS), map[string]string{"BASE_URL": "https://203.0.113.7", "HOP_URL": "https://hop.tv.example.org:8443", "LISTEN_TLS": ":443,:444"}), []string{
			"BASE_URL must be https with a host name", "HOP_URL must be https with a host name", "LISTEN_TLS must be one",
		}},
		{"certificates", with(with(behindProxy, ownTLS), map[string]string{"ACME_DIRECTORY": "http://ca.example/dir", "ACME_EMAIL": "nobody"}), []string{"ACME_DIRECTORY must be an https", "ACME_EMAIL is not"}},
		{"backups", map[string]string{"BACKUP_KEEP": "0"}, []string{"BACKUP_KEEP must be between 1 and 1000"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseMachine(test.vars)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, problem := range test.problems {
				if !strings.Contains(err.Error(), "\n"+problem) {
					t.Errorf("does not say %q:\n%v", problem, err)
				}
			}
			if n := strings.Count(err.Error(), "\n"); n > len(test.problems) {
				t.Errorf("%d problems, want %d:\n%v", n, len(test.problems), err)
			}
		})
	}
}

func TestReadSecretFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, empty, large := file("good", " sixteen characters \n"), file("empty", "\n"), file("large", strings.Repeat("x", maxSecretFile+1))
	vars := map[string]string{"CATALOGO_TOKEN_FILE": good, "MAIL_PASSWORD": "p"}
	if err := ReadSecretFiles(vars); err != nil || vars["CATALOGO_TOKEN"] != "sixteen characters" {
		t.Errorf("ReadSecretFiles = %v; the token is %q", err, vars["CATALOGO_TOKEN"])
	}
	for _, test := range []struct{ name, value, want string }{
		{"BASE_URL_FILE", good, "BASE_URL is not a secret"},
		{"MAIL_PASSWORD_FILE", good, "MAIL_PASSWORD and MAIL_PASSWORD_FILE must not both be set"},
		{"CATALOGO_TOKEN_FILE", filepath.Join(dir, "none"), "CATALOGO_TOKEN_FILE: open"},
		{"CATALOGO_TOKEN_FILE", empty, "is empty"},
		{"CATALOGO_TOKEN_FILE", large, "more than 65536 bytes"},
		{"CATALOGO_TOKEN_FILE", dir, "CATALOGO_TOKEN_FILE: read"},
	} {
		err := ReadSecretFiles(map[string]string{"MAIL_PASSWORD": "p", test.name: test.value})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%s is refused with %v, want %q", test.name, test.value, err, test.want)
		}
	}
}
