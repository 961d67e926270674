package radiobrowser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/origin"
	"miramundo.dev/shared/source"
)

func ptr(f float64) *float64 { return &f }

func decodeOne(t testing.TB, in string) (*source.Dataset, source.Count, error) {
	t.Helper()
	d := new(source.Dataset)
	count, err := Part.Decode(d, strings.NewReader(in))
	return d, count, err
}

func TestStation(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     source.Station
	}{
		{
			"as servers write it",
			`{"changeuuid":"x","stationuuid":"u1","serveruuid":null,"name":" Rádio A ","url":"http://a.example/","url_resolved":"https://a.example/s",
			"homepage":"https://a.example","favicon":"","tags":"news, talk,,pop","country":"Brazil","countrycode":"BR","iso_3166_2":null,"state":"São Paulo",
			"language":"portuguese,english","languagecodes":"pt,en","votes":12,"codec":"MP3","bitrate":128,"hls":0,"lastcheckok":1,
			"clickcount":3,"geo_lat":-23.5,"geo_long":-46.6,"geo_distance":null,"has_extended_info":false}`,
			source.Station{
				UUID: "u1", Name: " Rádio A ", URL: "http://a.example/", URLResolved: "https://a.example/s", Homepage: "https://a.example",
				Tags: []string{"news", "talk", "pop"}, CountryCode: "BR", State: "São Paulo", Languages: []string{"portuguese", "english"},
				LanguageCodes: []string{"pt", "en"}, Votes: 12, Clicks: 3, Codec: "MP3", Bitrate: 128, LastCheckOK: true,
				Latitude: ptr(-23.5), Longitude: ptr(-46.6),
			},
		},
		{
			"numbers as text, flags as words",
			`{"stationuuid":"u2","url":"http://a/","votes":"7","bitrate":"64","hls":true,"lastcheckok":"1","clickcount":null,"geo_lat":"1.5","geo_long":""}`,
			source.Station{UUID: "u2", URL: "http://a/", Votes: 7, Bitrate: 64, HLS: true, LastCheckOK: true, Latitude: ptr(1.5)},
		},
		{
			"out of bounds",
			`{"stationuuid":"u3","url":"http://a/","votes":1e12,"bitrate":128000,"geo_lat":91,"geo_long":-181}`,
			source.Station{UUID: "u3", URL: "http://a/", Bitrate: 128000},
		},
		{
			"line ends", `{"stationuuid":"u6","url":"http://a/","name":"A\nB","tags":"a\nb,c"}`,
			source.Station{UUID: "u6", URL: "http://a/", Name: "A B", Tags: []string{"a b", "c"}},
		},
		{
			"at zero", `{"stationuuid":"u4","url":"http://a/","geo_lat":0,"geo_long":0}`,
			source.Station{UUID: "u4", URL: "http://a/", Latitude: ptr(0), Longitude: ptr(0)},
		},
		{
			"nothing but the resolved address", `{"stationuuid":"u5","url_resolved":"http://a/"}`,
			source.Station{UUID: "u5", URLResolved: "http://a/"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, count, err := decodeOne(t, "["+tc.in+"]")
			if err != nil || count != (source.Count{Items: 1}) {
				t.Fatalf("%+v, %v", count, err)
			}
			if diff := cmp.Diff(tc.want, d.Stations[0], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestStationsSkipped(t *testing.T) {
	long := strings.Repeat("x", source.MaxField+1)
	for _, in := range []string{
		`{}`, `{"stationuuid":"u"}`, `{"url":"http://a/"}`, `{"stationuuid":7,"url":"http://a/"}`,
		`{"stationuuid":"u","url":"http://a/","votes":"many"}`, `{"stationuuid":"u","url":"http://a/","votes":[1]}`,
		`{"stationuuid":"u","url":"http://a/","favicon":"data:` + long + `"}`, `null`, `"x"`,
	} {
		_, count, err := decodeOne(t, `[`+in+`,{"stationuuid":"ok","url":"http://a/"}]`)
		if err != nil || count != (source.Count{Items: 1, Skipped: 1}) {
			t.Errorf("%.60s: %+v, %v", in, count, err)
		}
	}
}

func TestOpen(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("[]")}
	for _, name := range dumpPaths {
		body, path, err := Part.Open(fstest.MapFS{name: file, "other.json": file})
		if err != nil || path != name {
			t.Errorf("%s: found %q, %v", name, path, err)
			continue
		}
		body.Close()
	}
	if _, _, err := Part.Open(fstest.MapFS{"other.json": file}); err == nil {
		t.Error("opened a folder without stations")
	}
}

// A fakeResolver knows some names.
type fakeResolver struct {
	srv   []string
	hosts []string
	names map[string][]string
}

var errNoName = errors.New("no such name")

func (r fakeResolver) LookupSRV(_ context.Context, service, proto, name string) (string, []*net.SRV, error) {
	if service != "api" || proto != "tcp" || name != Domain || r.srv == nil {
		return "", nil, errNoName
	}
	var records []*net.SRV
	for _, host := range r.srv {
		records = append(records, &net.SRV{Target: host, Port: 443})
	}
	return "", records, nil
}

func (r fakeResolver) LookupHost(_ context.Context, host string) ([]string, error) {
	if host != "all.api."+Domain || r.hosts == nil {
		return nil, errNoName
	}
	return r.hosts, nil
}

func (r fakeResolver) LookupAddr(_ context.Context, addr string) ([]string, error) {
	if r.names[addr] == nil {
		return nil, errNoName
	}
	return r.names[addr], nil
}

func TestServers(t *testing.T) {
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprintf("s%02d.api.%s.", i, Domain)
	}
	for _, tc := range []struct {
		name string
		r    fakeResolver
		want []string
	}{
		{
			"by service record", fakeResolver{srv: []string{"de1.api.radio-browser.info.", "FI1.api.radio-browser.info."}},
			[]string{"https://de1.api.radio-browser.info", "https://fi1.api.radio-browser.info"},
		},
		{
			"by address", fakeResolver{
				hosts: []string{"192.0.2.1", "2001:db8::1", "192.0.2.3"},
				names: map[string][]string{
					"192.0.2.1": {"de1.api.radio-browser.info."}, "2001:db8::1": {"de1.api.radio-browser.info."},
					"192.0.2.3": {"machine.provider.example."},
				},
			},
			[]string{"https://de1.api.radio-browser.info"},
		},
		{
			"names of other zones",
			fakeResolver{srv: []string{"evil.example.", "radio-browser.info.evil.example.", "all.api.radio-browser.info.", "de1.api.radio-browser.info."}},
			[]string{"https://de1.api.radio-browser.info"},
		},
		{"nothing", fakeResolver{}, nil},
		{"addresses without names", fakeResolver{hosts: []string{"192.0.2.1"}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Servers(t.Context(), tc.r)
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != (tc.want != nil) {
				t.Errorf("error %v, -want +got:\n%s", err, diff)
			}
			if err != nil && !errors.Is(err, ErrNoServer) {
				t.Errorf("error %v, want ErrNoServer", err)
			}
		})
	}
	if got, _ := Servers(t.Context(), fakeResolver{srv: many}); len(got) != maxServers {
		t.Errorf("%d servers, want %d", len(got), maxServers)
	}
}

// server answers pages of n stations, and fails from the given offset on.
func server(t *testing.T, n, failFrom int) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offset, _ := strconv.Atoi(r.FormValue("offset"))
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		if r.URL.Path != "/json/stations" || r.FormValue("hidebroken") != "true" || r.FormValue("order") != "stationuuid" {
			t.Errorf("asked for %s", r.URL)
		}
		if offset >= failFrom {
			fmt.Fprint(w, `[{"stationuuid":"cut`)
			return
		}
		page := []map[string]any{}
		for i := offset; i < min(n, offset+limit); i++ {
			page = append(page, map[string]any{"stationuuid": fmt.Sprintf("u%06d", i), "url": "http://a.example/", "tags": []string(nil)})
		}
		if err := json.NewEncoder(w).Encode(page); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func clientFor(servers ...*httptest.Server) *origin.Client {
	var allow []string
	for _, s := range servers {
		allow = append(allow, s.Listener.Addr().String())
	}
	return origin.New(origin.Options{Allow: allow})
}

func TestPages(t *testing.T) {
	const n = 2*PageSize + 7
	whole, broken := server(t, n, n+PageSize), server(t, n, PageSize)
	for _, tc := range []struct {
		name    string
		servers []*httptest.Server
		want    int
		err     error
	}{
		{"one server", []*httptest.Server{whole}, n, nil},
		{"the first fails on the way", []*httptest.Server{broken, whole}, n, nil},
		{"all fail on the way", []*httptest.Server{broken, broken}, PageSize, ErrNoServer},
		{"no server", nil, 0, ErrNoServer},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var addresses []string
			for _, s := range tc.servers {
				addresses = append(addresses, s.URL)
			}
			d := new(source.Dataset)
			pages, err := OpenPages(t.Context(), clientFor(whole, broken), addresses, time.Minute)
			if err == nil {
				defer pages.Close()
				_, err = Part.Decode(d, pages)
			}
			if !errors.Is(err, tc.err) || len(d.Stations) != tc.want {
				t.Fatalf("%d stations, %v, want %d, %v", len(d.Stations), err, tc.want, tc.err)
			}
			for i, s := range d.Stations {
				if s.UUID != fmt.Sprintf("u%06d", i) {
					t.Fatalf("station %d is %s", i, s.UUID)
				}
			}
		})
	}
}

// TestEndlessPages has servers that never come to an end: one that does not
// heed the offset, and one that always finds other stations.
func TestEndlessPages(t *testing.T) {
	page := "[" + strings.Repeat(`{},`, 200_000) + "{}]"
	for _, tc := range []struct {
		name string
		page func(n int) string
		want error
	}{
		{"the same page", func(int) string { return page }, errRepeatedPage},
		{"always another", func(n int) string { return strings.Repeat(" ", n) + page }, source.ErrTooMany},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var n atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				io.WriteString(w, tc.page(int(n.Add(1))))
			}))
			defer s.Close()
			pages, err := OpenPages(t.Context(), clientFor(s), []string{s.URL}, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, pages); !errors.Is(err, tc.want) {
				t.Errorf("ended with %v, want %v", err, tc.want)
			}
		})
	}
}

// TestPagesSlow has a server that gives one station after another, each of
// them late: all of them together have to be there in time.
func TestPagesSlow(t *testing.T) {
	const timeout = 50 * time.Millisecond
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(timeout / 5):
			fmt.Fprintf(w, `[{"stationuuid":"u%06d","url":"http://a.example/"}]`, n.Add(1))
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pages, err := OpenPages(ctx, clientFor(s), []string{s.URL, s.URL, s.URL}, timeout)
	if err == nil {
		defer pages.Close()
		_, err = io.Copy(io.Discard, pages)
	}
	if !errors.Is(err, origin.ErrTimeout) || ctx.Err() != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestPagesCancelled(t *testing.T) {
	s := server(t, 10*PageSize, 10*PageSize)
	ctx, cancel := context.WithCancel(t.Context())
	pages, err := OpenPages(ctx, clientFor(s), []string{s.URL, s.URL}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, pages); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// FuzzStation checks what holds for the stations of every dump.
func FuzzStation(f *testing.F) {
	for _, seed := range []string{
		`{"stationuuid":"u","url":"http://a/","votes":1,"tags":"a,b"}`,
		`{"stationuuid":"u","url":"http://a/","votes":"1","hls":true,"geo_lat":"NaN","geo_long":1e400}`,
		`{"stationuuid":"u","url":"http://a/","geo_lat":-90.0001,"bitrate":-5,"languagecodes":" , "}`,
		`{"stationuuid":null}`, `[`, `{"a":{"b":[`, `{}][{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		d, count, _ := decodeOne(t, "["+in+"]")
		if count.Items != len(d.Stations) {
			t.Fatalf("%d items, %d stations", count.Items, len(d.Stations))
		}
		for _, s := range d.Stations {
			if s.UUID == "" || s.URL+s.URLResolved == "" {
				t.Errorf("a station without what it needs: %+v", s)
			}
			if s.Latitude != nil && !(*s.Latitude >= -90 && *s.Latitude <= 90) {
				t.Errorf("latitude %v", *s.Latitude)
			}
			if s.Longitude != nil && !(*s.Longitude >= -180 && *s.Longitude <= 180) {
				t.Errorf("longitude %v", *s.Longitude)
			}
			if slices.Contains(slices.Concat(s.Tags, s.Languages, s.LanguageCodes), "") {
				t.Errorf("an empty value in a list: %+v", s)
			}
		}
	})
}
