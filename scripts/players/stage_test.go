package main

import (
	"strings"
	"testing"
	"time"

	"miramundo.dev/scripts/players/journal"
	"miramundo.dev/scripts/players/liveorigin"
	"miramundo.dev/scripts/players/player"
)

const mpegURL = "application/vnd.apple.mpegurl"

// TestCheckAnswers finds answers of the hop that are not playlists.
func TestCheckAnswers(t *testing.T) {
	good := journal.Entry{Status: 200, Type: mpegURL}
	for _, test := range []struct {
		name    string
		answers []journal.Entry
		want    string
	}{
		{"playlists", []journal.Entry{good, good, {Status: statusGone}}, ""},
		{"none", nil, "asked the hop for nothing"},
		{"media", []journal.Entry{good, {Status: 200, Type: "video/mp2t", Path: "/x.ts"}}, "/x.ts"},
		{"an error", []journal.Entry{good, {Status: 404, Type: mpegURL}}, "404"},
	} {
		if err := checkAnswers(test.answers); !says(err, test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestCheckPage finds what a player did not do although low latency needs it.
func TestCheckPage(t *testing.T) {
	start := time.UnixMilli(1_000_000)
	at := func(ms int, query string) journal.Entry {
		return journal.Entry{At: start.Add(time.Duration(ms) * time.Millisecond), Status: 200, Type: mpegURL, Query: query}
	}
	answers := []journal.Entry{
		at(0, ""), at(10, "p=low"), at(20, "p=low&_HLS_msn=9&_HLS_part=1"), at(30, "p=low&_HLS_msn=9&_HLS_part=2"),
		at(150, "p=high&_HLS_msn=9&_HLS_part=3"),
	}
	parts := []journal.Entry{{Path: "/low/low/part1.m4s"}}
	seen := player.Seen{Exposed: exposed, Parts: 9, Deltas: 1, SwitchedAt: start.UnixMilli() + 100}
	low := liveorigin.Form{LowLatency: true}
	for _, test := range []struct {
		name    string
		form    liveorigin.Form
		answers []journal.Entry
		media   []journal.Entry
		change  func(*player.Seen)
		want    string
	}{
		{"as it should be", low, answers, parts, func(*player.Seen) {}, ""},
		{"of another form", liveorigin.Form{}, nil, nil, func(*player.Seen) {}, ""},
		{"headers", liveorigin.Form{}, nil, nil, func(s *player.Seen) { s.Exposed = 4 }, "4 of the 5"},
		{"errors", liveorigin.Form{}, nil, nil, func(s *player.Seen) { s.Errors = []string{"levelLoadError"} }, "levelLoadError"},
		{"no parts", low, answers, parts, func(s *player.Seen) { s.Parts = 0 }, "only 0 parts"},
		{"no delta", low, answers, parts, func(s *player.Seen) { s.Deltas = 0 }, "skipped"},
		{"whole segments", low, answers, []journal.Entry{{Path: "/low/low/seg1.m4s"}}, func(*player.Seen) {}, "no part came"},
		{"no waiting", low, answers[:2], parts, func(*player.Seen) {}, "only 0 requests waited"},
		{"no report", low, append(answers[:4:4], at(150, "p=high"), answers[4]), parts, func(*player.Seen) {}, "did not use the rendition report"},
		{"no switch", low, append(answers[:4:4], answers[3]), parts, func(*player.Seen) {}, "was not asked for"},
	} {
		s := seen
		test.change(&s)
		if err := checkPage(test.form, test.answers, test.media, s); !says(err, test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestVerdict checks that failures, and with strict missing players, are errors.
func TestVerdict(t *testing.T) {
	rows := []row{{liveorigin.Form{Name: "form"}, map[string]cell{"a": {note: "1 s"}, "b": {note: "skipped: not installed", skip: true}}}}
	if err := verdict(rows, false); err != nil {
		t.Errorf("a missing player fails: %v", err)
	}
	if err := verdict(rows, true); !says(err, "form with b: skipped") {
		t.Errorf("a missing player, where it counts: %v", err)
	}
	rows[0].cells["a"] = cell{err: errTest}
	if err := verdict(rows, false); !says(err, "form with a: no") {
		t.Errorf("a failure: %v", err)
	}
}

type testError string

func (e testError) Error() string { return string(e) }

const errTest = testError("no")

// says reports whether the text of err contains want; the text of nil is empty.
func says(err error, want string) bool {
	if err == nil {
		return want == ""
	}
	return want != "" && strings.Contains(err.Error(), want)
}
