package request_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/api/request"
)

// bigPage is a body of the size of a page of search results.
var bigPage = []byte(`{"items":"` + strings.Repeat("x", 18000) + `"}`)

type rawPage struct{}

func (rawPage) Reply(w http.ResponseWriter, r *http.Request) error {
	return api.WriteJSON(w, r, bigPage)
}

type benchServer struct{}

func (benchServer) search(ctx context.Context, _ listIn) (rawPage, error) {
	api.LocaleOf(ctx)
	return rawPage{}, nil
}

// discard is a writer like that of the server, without the connection.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func bare(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(bigPage)))
	_, _ = w.Write(bigPage)
}

func benchHandler(lg *slog.Logger) http.Handler {
	o := options()
	o.Log, o.Links = lg, []string{`</openapi.json>; rel="service-desc"; type="application/json"`}
	return request.Handler(o, benchServer{}, []api.Endpoint{
		api.Bind(benchServer.search, api.Endpoint{
			Method: "GET", Path: "/api/channels", Auth: api.None, Summary: "A page", Doc: "A page.", Cache: api.Private,
		}),
	})
}

const benchTarget = "/api/channels?q=s%C3%A3o+paulo&country=BR&category=news&language=por&network=globo&quality=1080p" +
	"&guide=0&subdivision=BR-SP&city=BRSAO&playable=1&sort=name&online=0&kind=tv&limit=20&offset=40"

// BenchmarkOverhead compares what a request costs through api, with 15
// parameters, with a handler that writes the same body.
func BenchmarkOverhead(b *testing.B) {
	for _, bench := range []struct {
		name string
		h    http.Handler
	}{
		{"bare", http.HandlerFunc(bare)},
		{"api", benchHandler(nil)},
		{"api-logged", benchHandler(slog.New(cloudlog.New(io.Discard, slog.LevelInfo, "p")))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r := httptest.NewRequest("GET", benchTarget, nil)
			r.Header.Set("Accept-Language", "pt-BR,pt;q=0.9,en;q=0.8")
			w := &discard{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.h)
				bench.h.ServeHTTP(w, r)
			}
		})
	}
}

// BenchmarkServer compares the same over a loopback connection.
func BenchmarkServer(b *testing.B) {
	for _, bench := range []struct {
		name string
		h    http.Handler
	}{
		{"bare", http.HandlerFunc(bare)},
		{"api", benchHandler(nil)},
		{"api-logged", benchHandler(slog.New(cloudlog.New(io.Discard, slog.LevelInfo, "p")))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := httptest.NewServer(bench.h)
			defer s.Close()
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			for b.Loop() {
				answer, err := client.Get(s.URL + benchTarget)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
		})
	}
}
