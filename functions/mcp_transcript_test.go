package functions

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/billing/localnet/nettest"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/price"
)

// An agent is a scripted one: it knows the list of tools and nothing else of the
// service. It chooses tools by the words of their descriptions and takes the names of
// arguments and results from schemas.
type agent struct {
	t       testing.TB
	session *mcp.ClientSession
	tools   []*mcp.Tool
	token   string
}

// choose returns the one tool whose name, title and description have all words, and
// that only reads or not.
func (a *agent) choose(reads bool, words ...string) *mcp.Tool {
	a.t.Helper()
	var found []*mcp.Tool
	for _, tool := range a.tools {
		text := strings.ToLower(tool.Title + " " + tool.Description)
		missing := slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
		if !missing && tool.Annotations.ReadOnlyHint == reads {
			found = append(found, tool)
		}
	}
	if len(found) != 1 {
		var names []string
		for _, tool := range found {
			names = append(names, tool.Name)
		}
		a.t.Fatalf("%q describe %v, want one tool", words, names)
	}
	return found[0]
}

// call calls a tool, with the guest's token where the tool takes one, and returns the
// result.
func (a *agent) call(tool *mcp.Tool, arguments map[string]any, meta mcp.Meta) *mcp.CallToolResult {
	a.t.Helper()
	schema, _ := tool.InputSchema.(map[string]any)
	all, _ := schema["properties"].(map[string]any)
	if _, ok := all["guest_token"]; ok && a.token != "" {
		if arguments == nil {
			arguments = map[string]any{}
		}
		arguments["guest_token"] = a.token
	}
	result, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments, Meta: meta})
	if err != nil {
		a.t.Fatalf("%s: %v", tool.Name, err)
	}
	return result
}

// does calls a tool that must succeed and reads its structured content into to.
func (a *agent) does(to any, tool *mcp.Tool, arguments map[string]any) {
	a.t.Helper()
	result := a.call(tool, arguments, nil)
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		a.t.Fatalf("%s: %s", tool.Name, text)
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		a.t.Fatal(err)
	}
}

// TestMCPTranscript has an agent that has only the list of tools find a channel by a
// vague wish, make a guest, build a library of three folders, read its feed, and pay
// for a chat pass.
func TestMCPTranscript(t *testing.T) {
	h, net := sellingMux(t)
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		a := &agent{t: t, session: connectMCP(t, h, version, nil)}
		list, err := a.session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		a.tools = list.Tools
		channel := a.findsChannel()
		a.buildsLibrary(h, channel)
		a.paysForChat(net, channel)
	}
}

// findsChannel finds a British channel with a guide.
func (a *agent) findsChannel() string {
	a.t.Helper()
	var found struct {
		Total int
		Items []struct{ ID, Name, Country string }
	}
	a.does(&found, a.choose(true, "search", "channels", "stations", "filter"), map[string]any{"country": "GB", "guide": true})
	if found.Total != len(found.Items) || len(found.Items) == 0 {
		a.t.Fatalf("the search found %+v", found)
	}
	var detail struct {
		Streams []struct {
			Play string `json:"play_url"`
		}
	}
	a.does(&detail, a.choose(true, "detail record", "streams"), map[string]any{"id": found.Items[0].ID})
	if len(detail.Streams) == 0 || !strings.HasPrefix(detail.Streams[0].Play, "http") {
		a.t.Fatalf("the channel is %+v", detail)
	}
	return found.Items[0].ID
}

// buildsLibrary makes a guest with three folders, each with the channel, and reads the
// feed of the library.
func (a *agent) buildsLibrary(h http.Handler, channel string) {
	a.t.Helper()
	var guest struct{ Token string }
	a.does(&guest, a.choose(false, "create a guest", "token"), nil)
	a.token = guest.Token
	addFolder, addItem := a.choose(false, "creates a folder"), a.choose(false, "adds an item", "sub-tab")
	for _, name := range []string{"News", "Films", "For the morning"} {
		var folder struct {
			Group string `json:"group_id"`
		}
		a.does(&folder, addFolder, map[string]any{"name": name})
		var item struct{ ID string }
		a.does(&item, addItem, map[string]any{"group_id": folder.Group, "channel_id": channel})
	}
	var library struct {
		Feeds      struct{ M3U string }
		Categories []struct {
			Name   string
			Groups []struct {
				Items []struct {
					Channel string `json:"channel_id"`
				}
			}
		}
	}
	a.does(&library, a.choose(true, "all folders", "feed addresses"), nil)
	var folders []string
	for _, c := range library.Categories {
		folders = append(folders, fmt.Sprint(c.Name, " ", c.Groups[0].Items[0].Channel == channel))
	}
	if diff := cmp.Diff([]string{"News true", "Films true", "For the morning true"}, folders); diff != "" {
		a.t.Errorf("folders (-want +got):\n%s", diff)
	}
	_, feed := apitest.Do(a.t, h, "GET", strings.TrimPrefix(library.Feeds.M3U, apitest.Origin), "")
	if strings.Count(feed, "#EXTINF") != 3 {
		a.t.Errorf("the feed is\n%s", feed)
	}
}

// paysForChat buys a pass, by the terms in the failed result, and posts a message.
func (a *agent) paysForChat(net *nettest.Net, channel string) {
	a.t.Helper()
	buy := a.choose(false, "buys the pass", "without charging")
	refused := a.call(buy, nil, nil)
	terms, err := json.Marshal(refused.StructuredContent)
	if err != nil || !refused.IsError || !strings.Contains(string(terms), `"accepts":[`) {
		a.t.Fatalf("without a payment: %+v", refused)
	}
	if text := refused.Content[0].(*mcp.TextContent).Text; !json.Valid([]byte(text)) || !strings.Contains(text, `"x402Version":1`) {
		a.t.Errorf("the terms as text are %s", text)
	}
	wallet := net.Wallet(a.t, 100*price.Cent)
	payment := mcp.Meta{"x402/payment": decodedPayment(a.t, wallet.Pay(a.t, terms, 0))}
	for range 2 { // repeated, it is not charged again
		paid := a.call(buy, nil, payment)
		receipt, _ := paid.Meta["x402/payment-response"].(map[string]any)
		if paid.IsError || receipt["success"] != true {
			a.t.Fatalf("with a payment: %+v", paid)
		}
	}
	if left := net.Holds(a.t, wallet.Address); left != 90*price.Cent {
		a.t.Errorf("the wallet has %v left", left)
	}
	posted := a.call(a.choose(false, "publishes a message", "chat room"), map[string]any{"channel_id": channel, "body": "hello"}, nil)
	if posted.IsError {
		a.t.Errorf("posting with a pass: %+v", posted)
	}
}

// decodedPayment returns a payment as _meta holds it, from its header.
func decodedPayment(t testing.TB, header string) (payment map[string]any) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(header)
	if err != nil || json.Unmarshal(text, &payment) != nil {
		t.Fatalf("payment %q: %v", header, err)
	}
	return payment
}

// sellingMux returns the handler of a service that sells on a local network, and the
// network.
func sellingMux(t testing.TB) (http.Handler, *nettest.Net) {
	t.Helper()
	db := openEmbedded(t)
	o := optionsOver(t, db, fixture)
	net := nettest.Start(t, db, o.Now)
	o.Config.PaymentTo, o.Config.PaymentNetwork = nettest.NewWallet().Address, "base-sepolia"
	o.Config.PaymentFacilitators, o.Config.PaymentRPC = []string{net.URL}, net.RPC
	p, err := compose.Open(t.Context(), o, Processes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	loadCatalog(t.Context(), t, p)
	keepGuide(t, db)
	return mux(t, p), net
}
