package functions

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"miramundo.dev/shared/apitest"
)

// searchCall is a call of a tool as a client without a session sends it.
const searchCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_channels","arguments":{"q":"news"}}}`

// TestMCPManyCalls makes a thousand calls at once, twice, over connections of their
// own, and logs the figures; in the short form a hundred. No call may fail.
func TestMCPManyCalls(t *testing.T) {
	callers, each := 1000, 2
	if testing.Short() {
		callers = 100
	}
	server := httptest.NewServer(mux(t, deps(t, openEmbedded(t), fixture)))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	defer client.CloseIdleConnections()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	times := make([]time.Duration, callers*each)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for k := range each {
				start := time.Now()
				res, err := client.Post(server.URL+"/mcp", "application/json", strings.NewReader(searchCall))
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(body), `"structuredContent"`) {
					t.Errorf("%v, %d %.200s", err, res.StatusCode, body)
				}
				times[i*each+k] = time.Since(start)
			}
		})
	}
	all.Wait()
	took := time.Since(begun)
	runtime.ReadMemStats(&after)
	slices.Sort(times)
	n := uint64(len(times))
	t.Logf("%d calls at once: %.0f calls/s, p50 %v, p99 %v, %d KB and %d allocations a call, %d MB of memory from the system",
		callers, float64(n)/took.Seconds(), times[n/2], times[n*99/100], (after.TotalAlloc-before.TotalAlloc)/n>>10, (after.Mallocs-before.Mallocs)/n, after.Sys>>20)
}

// BenchmarkMCPCall measures a search by a tool, without a connection.
func BenchmarkMCPCall(b *testing.B) {
	h := mux(b, deps(b, openEmbedded(b), fixture))
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(searchCall))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// TestMCPSizes bounds what a model must read: the tools without the schemas of their
// results, which clients do not show to it, and the results of the usual first calls.
func TestMCPSizes(t *testing.T) {
	s := connectMCP(t, mux(t, deps(t, openEmbedded(t), fixture)), "", nil)
	size := 0
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tool.OutputSchema = nil
		text, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
	}
	if most := 72_000; size > most {
		t.Errorf("the tools take %d bytes, want at most %d", size, most)
	}
	for name, test := range map[string]struct {
		arguments map[string]any
		most      int
	}{
		"search_channels": {map[string]any{"kind": "all"}, 2600},
		"get_channel":     {map[string]any{"id": "Beacon.uk"}, 1500},
		"list_countries":  {map[string]any{"kind": "all"}, 3000},
		"get_health":      {nil, 250},
	} {
		got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: test.arguments})
		if err != nil || got.IsError {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		if n := len(got.Content[0].(*mcp.TextContent).Text); n > test.most {
			t.Errorf("the result of %s takes %d bytes, want at most %d", name, n, test.most)
		}
	}
}

// TestMCPIgnoresCookies checks that the session of a browser does not count for tools,
// neither to read nor to write, and that it does not hide a guest.
func TestMCPIgnoresCookies(t *testing.T) {
	db := openEmbedded(t)
	p := deps(t, db, fixture)
	h := mux(t, p)
	cookie := signIn(db)(t, "ana")
	call := func(tool, arguments string, headers ...string) string {
		_, body := apitest.Do(t, h, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`,
			append([]string{"Content-Type", "application/json", "Cookie", cookie.Name + "=" + cookie.Value, "Origin", apitest.Origin}, headers...)...)
		return body
	}
	if res, body := apitest.Do(t, h, "GET", "/api/library", "", "Cookie", cookie.Name+"="+cookie.Value); res.StatusCode != http.StatusOK {
		t.Fatalf("the session is not valid: %d %s", res.StatusCode, body)
	}
	for _, tool := range []string{"get_library", "clear_history"} {
		if body := call(tool, `{}`); !strings.Contains(body, "invalid_session") {
			t.Errorf("%s with a session: %.300s", tool, body)
		}
	}
	token, _, err := p.Guests().Issue()
	if err != nil {
		t.Fatal(err)
	}
	if body := call("get_library", `{}`, "X-Guest-Token", token); strings.Contains(body, "isError") {
		t.Errorf("a guest beside a session: %.300s", body)
	}
	if body := call("get_library", `{"guest_token":"`+token+`"}`, "X-Api-Key", "mmk_unknown"); strings.Contains(body, "isError") {
		t.Errorf("a guest in an argument beside a key: %.300s", body)
	}
}
