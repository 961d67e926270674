package prose

import (
	"context"
	"strings"
	"testing"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/price/quota"
)

type server struct{}

type callIn struct {
	Kind string `query:"kind" default:"tv" enum:"tv,radio" description:"Kind of channel."`
	ID   string `query:"id" required:"true"`
}

func (server) call(context.Context, callIn) (api.NoContent, error) { return api.NoContent{}, nil }

func bind(name string, auth api.Auth, retired bool) api.Endpoint {
	return api.Bind(server.call, api.Endpoint{Name: name, Tool: true, Method: "GET", Path: "/api/" + name, Auth: auth, Deprecated: retired, Summary: "Call " + name, Doc: "Calls it."})
}

var sold = &profile.Profile{
	Name: "Mira", Base: "https://m.example", Quota: quota.Options{Sells: true, Comments: 20, Base: "https://m.example"},
	Table: []api.Endpoint{bind("open", api.None, false), bind("hidden", api.Operator, false), bind("old", api.None, true)},
}

// TestPublic checks that the texts list what anyone may call, with its inputs, and
// neither the operator's endpoints nor those that are retired.
func TestPublic(t *testing.T) {
	for name, text := range map[string]string{"llms-full.txt": LLMsFull(sold), "api.md": Bundle(sold)["api.md"]} {
		if !strings.Contains(text, "/api/open") || strings.Contains(text, "/api/hidden") || strings.Contains(text, "/api/old") {
			t.Errorf("%s lists\n%s", name, text)
		}
	}
	for _, line := range []string{"- query `kind` (string, default tv, one of tv, radio): Kind of channel.\n", "- query `id` (string, required)\n", "- Tool: open\n", "- Credential: none\n"} {
		if !strings.Contains(LLMsFull(sold), line) {
			t.Errorf("llms-full.txt lacks %q", line)
		}
	}
}

// TestPrices checks that the answers to questions have the prices and the limits.
func TestPrices(t *testing.T) {
	faq := Bundle(sold)["faq.md"]
	for _, part := range []string{"- Chat write pass, 30 days: 0.10 USD\n", "8 folders, 12 sub-tabs", "https://m.example/en/contact"} {
		if !strings.Contains(faq, part) {
			t.Errorf("faq.md lacks %q:\n%s", part, faq)
		}
	}
}

// TestIndexOfBundle checks that the index lists each of the other files.
func TestIndexOfBundle(t *testing.T) {
	files := Bundle(sold)
	for name := range files {
		if name != "index.md" && !strings.Contains(files["index.md"], "]("+name+") - ") {
			t.Errorf("the index does not list %s:\n%s", name, files["index.md"])
		}
	}
	if len(files) != 4 {
		t.Errorf("the bundle has %d files", len(files))
	}
}

// TestUnknownLimit checks that a text cannot refer to a limit that does not exist.
func TestUnknownLimit(t *testing.T) {
	if _, err := (sheet{Profile: sold}).Limit("wishes"); err == nil {
		t.Error("an unknown limit gives no error")
	}
}
