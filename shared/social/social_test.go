package social

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fact"
)

var (
	at   = time.Date(2026, 11, 22, 23, 59, 59, 0, time.UTC)
	play = Play{Key: strings.Repeat("0f", 16), Channel: "RecordNews.br", Day: "2026-11-22", Country: "BR", At: at}
	wait = Latency{Key: "K1", Channel: "RecordNews.br", Day: "2026-11-22", Country: "ZZ", Samples: 2, SumMS: 90, LastAt: at}
)

// TestWire holds the events to the text that readers of other versions know.
func TestWire(t *testing.T) {
	for name, test := range map[string]struct {
		encode func() (bus.Event, error)
		want   string
	}{
		"play": {play.Event, `{"v":1,"body":{"key":"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f","channel":"RecordNews.br",` +
			`"day":"2026-11-22","country":"BR","at":"2026-11-22T23:59:59Z"}}`},
		"latency": {wait.Event, `{"v":1,"body":{"key":"K1","channel":"RecordNews.br","day":"2026-11-22","country":"ZZ",` +
			`"samples":2,"sum_ms":90,"last_at":"2026-11-22T23:59:59Z"}}`},
	} {
		e, err := test.encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, string(e.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := e.Check(); err != nil {
			t.Errorf("%s: the bus refuses it: %v", name, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	e, err := play.Event()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := PlayOf(e); err != nil || !cmp.Equal(play, got) {
		t.Errorf("PlayOf = %v, %s", err, cmp.Diff(play, got))
	}
	if e, err = wait.Event(); err != nil {
		t.Fatal(err)
	}
	if got, err := LatencyOf(e); err != nil || !cmp.Equal(wait, got) {
		t.Errorf("LatencyOf = %v, %s", err, cmp.Diff(wait, got))
	}
}

// TestPlayRefusals makes each field of a play what it cannot be: it is neither
// written nor read.
func TestPlayRefusals(t *testing.T) {
	for name, spoil := range map[string]func(*Play){
		"no key":           func(p *Play) { p.Key = "" },
		"short key":        func(p *Play) { p.Key = p.Key[1:] },
		"long key":         func(p *Play) { p.Key += "0" },
		"key of other":     func(p *Play) { p.Key = strings.Repeat("0F", 16) },
		"no channel":       func(p *Play) { p.Channel = "" },
		"long channel":     func(p *Play) { p.Channel = strings.Repeat("x", maxChannel+1) },
		"channel of paths": func(p *Play) { p.Channel = "a/b" },
		"channel above":    func(p *Play) { p.Channel = ".." },
		"channel of lines": func(p *Play) { p.Channel = "a\nb" },
		"channel of bytes": func(p *Play) { p.Channel = "a\xff" },
		"no day":           func(p *Play) { p.Day = "" },
		"another day":      func(p *Play) { p.Day = "2026-11-23" },
		"day of elsewhere": func(p *Play) { p.Day, p.At = "2026-11-22", at.Add(time.Hour).In(time.FixedZone("", -7200)) },
		"no moment":        func(p *Play) { p.Day, p.At = "0001-01-01", time.Time{} },
		"no country":       func(p *Play) { p.Country = "" },
		"small country":    func(p *Play) { p.Country = "br" },
		"long country":     func(p *Play) { p.Country = "BRA" },
		"an address":       func(p *Play) { p.Network = "2001:db8::" },
	} {
		p := play
		spoil(&p)
		if _, err := p.Event(); !errors.Is(err, bus.ErrEvent) {
			t.Errorf("%s: Event = %v, want ErrEvent", name, err)
		}
		if got, err := PlayOf(spoiled(t, p)); !errors.Is(err, bus.ErrEvent) || got != (Play{}) {
			t.Errorf("%s: PlayOf = %v, %v, want ErrEvent", name, got, err)
		}
	}
}

func TestLatencyRefusals(t *testing.T) {
	for name, spoil := range map[string]func(*Latency){
		"no key":           func(l *Latency) { l.Key = "" },
		"long key":         func(l *Latency) { l.Key = strings.Repeat("x", maxKey+1) },
		"key of paths":     func(l *Latency) { l.Key = "a/b" },
		"no sample":        func(l *Latency) { l.Samples = 0 },
		"negative samples": func(l *Latency) { l.Samples = -1 },
		"too many samples": func(l *Latency) { l.Samples = maxSamples + 1 },
		"negative sum":     func(l *Latency) { l.SumMS = -1 },
		"endless wait":     func(l *Latency) { l.SumMS = 2*maxWait + 2 },
		"overflow":         func(l *Latency) { l.SumMS, l.Samples = math.MaxInt64, maxSamples },
		"no channel":       func(l *Latency) { l.Channel = "" },
		"another day":      func(l *Latency) { l.Day = "2026-11-21" },
		"no country":       func(l *Latency) { l.Country = "" },
	} {
		l := wait
		spoil(&l)
		if _, err := l.Event(); !errors.Is(err, bus.ErrEvent) {
			t.Errorf("%s: Event = %v, want ErrEvent", name, err)
		}
		if got, err := LatencyOf(spoiled(t, l)); !errors.Is(err, bus.ErrEvent) || got != (Latency{}) {
			t.Errorf("%s: LatencyOf = %v, %v, want ErrEvent", name, got, err)
		}
	}
}

// anything has no checks, so that what is wrong can be written.
type anything struct{ v any }

func (anything) About() fact.About              { return fact.About{} }
func (anything) Check() error                   { return nil }
func (a anything) MarshalJSON() ([]byte, error) { return json.Marshal(a.v) }

func spoiled(t *testing.T, v any) bus.Event {
	t.Helper()
	e, err := fact.Encode(anything{v})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// hostile are data that no event has.
var hostile = []string{
	``, `x`, `null`, `[]`, `{}`, `"v"`, `{"v":1}`, `{"v":1,"body":null}`, `{"v":1,"body":[]}`, `{"v":0,"body":{}}`,
	`{"v":"1","body":{}}`, `{"v":1e99,"body":{}}`, `{"v":1,"body":{"at":"yesterday"}}`, `{"v":1,"body":{"samples":1e400}}`,
	`{"v":1,"body":{"samples":1.5}}`, strings.Repeat(`[`, 100_000), "{\"v\":1,\"body\":{\"channel\":\"\xff\"}}",
}

func TestHostileData(t *testing.T) {
	e, err := play.Event()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Replace(string(e.Data), `"v":1`, `"v":1`+strings.Repeat(" ", 2048), 1)
	for _, data := range append(hostile, long, string(e.Data)+string(e.Data)) {
		e := bus.Event{Data: []byte(data)}
		if _, err := PlayOf(e); !errors.Is(err, bus.ErrEvent) {
			t.Errorf("PlayOf(%.60q) = %v, want ErrEvent", data, err)
		}
		if _, err := LatencyOf(e); !errors.Is(err, bus.ErrEvent) {
			t.Errorf("LatencyOf(%.60q) = %v, want ErrEvent", data, err)
		}
	}
}

// FuzzEvents checks that what is read can be written, and is then read alike.
func FuzzEvents(f *testing.F) {
	for _, data := range hostile {
		f.Add([]byte(data))
	}
	for _, encode := range []func() (bus.Event, error){play.Event, wait.Event} {
		e, err := encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(e.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := PlayOf(bus.Event{Data: data}); err == nil {
			again(t, p, PlayOf)
		}
		if l, err := LatencyOf(bus.Event{Data: data}); err == nil {
			again(t, l, LatencyOf)
		}
	})
}

func again[T interface{ Event() (bus.Event, error) }](t *testing.T, v T, read func(bus.Event) (T, error)) {
	e, err := v.Event()
	if err != nil {
		t.Fatalf("%+v was read and cannot be written: %v", v, err)
	}
	if got, err := read(e); err != nil || !cmp.Equal(v, got) {
		t.Errorf("read again: %v, %s", err, cmp.Diff(v, got))
	}
}

func TestCountry(t *testing.T) {
	for s, want := range map[string]string{
		"BR": "BR", "br": "BR", "Pt": "PT", "": Unknown, "ZZ": Unknown, "XX": Unknown, "xx": Unknown, "T1": Unknown, "BRA": Unknown,
		"B": Unknown, "ß": Unknown, "B\x00": Unknown, "ıs": Unknown, strings.Repeat("BR", 1000): Unknown,
	} {
		if got := Country(s); got != want {
			t.Errorf("Country(%.10q) = %q, want %q", s, got, want)
		}
	}
}

// TestTopology checks that the layout of the local stack delivers each topic
// as the clouds do: to aggregate, and what it refuses to the dead letters of
// the subscription.
func TestTopology(t *testing.T) {
	stack, err := config.ReadStack("../../emulator.json")
	if err != nil {
		t.Fatal(err)
	}
	for topic, subs := range Topology() {
		for _, sub := range subs {
			want := config.Topic{Push: config.Push{Function: "aggregate"}, DeadLetter: sub + "-dead", MaxAttempts: bus.Patient.Attempts}
			if diff := cmp.Diff(want, stack.Topics[topic]); diff != "" {
				t.Errorf("topic %s in emulator.json (-want +got):\n%s", topic, diff)
			}
		}
		if len(subs) != 1 {
			t.Errorf("topic %s has %d subscriptions, and emulator.json has one", topic, len(subs))
		}
	}
}

func BenchmarkPlayEvent(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := play.Event(); err != nil {
			b.Fatal(err)
		}
	}
}
