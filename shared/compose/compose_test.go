package compose

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	_ "miramundo.dev/shared/wire/cloud" // whose refusals are tested
)

// options returns the options of parts in a folder of the test.
func options(t *testing.T, vars ...string) Options {
	t.Helper()
	settings := map[string]string{"DATA_DIR": t.TempDir(), "CATALOG": "sample"}
	for i := 0; i+1 < len(vars); i += 2 {
		settings[vars[i]] = vars[i+1]
	}
	c, err := config.Parse(settings)
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Config: c, Log: slog.New(slog.DiscardHandler),
		Schedules: []Schedule{{Job: refresh.Name, Every: time.Hour, New: (*Parts).GuideJob}},
	}
}

// opened lists the fields of p that hold a part.
func opened(p *Parts) (names []string) {
	v := reflect.ValueOf(*p)
	for _, name := range []string{"DB", "Bus", "Archive", "Blocks", "Catalog", "Guide", "Social", "Jobs", "Mail", "Till", "SignIn"} {
		if !v.FieldByName(name).IsNil() {
			names = append(names, name)
		}
	}
	return names
}

// TestOpen checks that a process opens what it needs and nothing else, and that
// a part of a larger process is the same.
func TestOpen(t *testing.T) {
	everything := open(t, Documents, Events, Catalog, Overlays, Guide, Social, Jobs, Mail, SignIn, Billing)
	for _, test := range []struct {
		needs []Need
		want  string
	}{
		{nil, ""},
		{[]Need{Documents}, "DB"},
		{[]Need{Events}, "Bus"},
		{[]Need{Documents, Events}, "DB Bus"},
		{[]Need{Mail}, "Mail"},
		{[]Need{SignIn}, "DB Mail SignIn"},
		{[]Need{Social}, "DB Social"},
		{[]Need{Guide}, "DB Guide"},
		{[]Need{Catalog}, "DB Archive Blocks Catalog"},
		{[]Need{Overlays}, "DB Archive Blocks Catalog"},
		{[]Need{Guide, Catalog}, "DB Archive Blocks Catalog Guide"},
		{[]Need{Billing}, "DB Till"},
		{[]Need{Jobs}, "DB Bus Archive Blocks Catalog Social Jobs Mail Till"},
	} {
		if got := strings.Join(opened(open(t, test.needs...)), " "); got != test.want {
			t.Errorf("%v opens %q, want %q", test.needs, got, test.want)
		}
		if got := strings.Join(opened(everything.Only(test.needs...)), " "); got != test.want {
			t.Errorf("only %v of everything is %q, want %q", test.needs, got, test.want)
		}
	}
}

func open(t *testing.T, needs ...Need) *Parts {
	t.Helper()
	p, err := Open(t.Context(), options(t), Process{Needs: needs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestGiven checks that a database that is given is used, and stays open.
func TestGiven(t *testing.T) {
	db := open(t, Documents).DB
	o := options(t)
	o.DB = db
	p, err := Open(t.Context(), o, Process{Needs: []Need{Catalog}})
	if err != nil {
		t.Fatal(err)
	}
	if p.DB != db {
		t.Error("another database was opened")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Set(t.Context(), store.Path("things/a"), map[string]int{"n": 1}); err != nil {
		t.Errorf("the database was closed: %v", err)
	}
}

// TestUseLayer checks that the catalog is laid under what networks say of channels.
func TestUseLayer(t *testing.T) {
	db := open(t, Documents).DB
	channel := "Loved.br"
	counted := social.Counted{Counts: social.Counts{Favorites: 3, Heard: social.Heard{Plays: 4, Favorites: 3}}, Channel: channel}
	counted.Revision = 1
	if err := social.ShowCounts(t.Context(), db, social.ShardOf(channel), []social.Counted{counted}); err != nil {
		t.Fatal(err)
	}
	uses := social.SampleUses(t.Context(), social.FollowOverlay(t.Context(), overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now)), time.Hour)
	<-uses.Changed()
	var o index.Overlay
	useLayer{uses}.AddTo(&o)
	if d := cmp.Diff(map[string]index.Use{channel: {Plays: 4, Favorites: 3}}, maps.Collect(o.Uses)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestRefusals checks that settings that parts cannot be opened with are named.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		need Need
		vars []string
		want string
	}{
		{Jobs, []string{"GUIDE_SOURCES", "ftp://guides.example/x.xml"}, "GUIDE_SOURCES"},
		{Documents, []string{"BACKEND", "emulators"}, "the cloud needs the id of a project"},
		{Events, []string{"BACKEND", "emulators", "GOOGLE_CLOUD_PROJECT", "p"}, "PUBSUB_EMULATOR_HOST"},
		{Billing, []string{"PAYMENT_TO", receiver, "PAYMENT_FACILITATORS", "https://f.example"}, "GUEST_KEYS"},
	} {
		o := options(t, test.vars...)
		if p, err := Open(t.Context(), o, Process{Needs: []Need{test.need}}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s with %q opens %v, %v, want an error with %q", test.need, test.vars, p, err, test.want)
		}
	}
	if _, err := Open(t.Context(), options(t, "GUIDE_SOURCES", "ftp://guides.example/x.xml"), Process{Needs: []Need{Catalog}}); err != nil {
		t.Errorf("a process without jobs reads their settings: %v", err)
	}
}

// TestUnreachable checks that parts open while the database cannot be reached,
// and hold nothing yet.
func TestUnreachable(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := options(t, "BACKEND", "emulators", "GOOGLE_CLOUD_PROJECT", "demo-unreachable",
		"FIRESTORE_EMULATOR_HOST", "127.0.0.1:1", "PUBSUB_EMULATOR_HOST", "127.0.0.1:1")
	p, err := Open(ctx, o, Process{Needs: []Need{Catalog, Overlays, Guide, Social}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if ctx.Err() != nil {
		t.Error("opening waited for the database")
	}
	var behind []string
	for _, lag := range p.Followers.Stale(time.Now()) {
		if lag.Loaded {
			t.Errorf("%s was loaded", lag.Name)
		}
		behind = append(behind, lag.Name)
	}
	if want := []string{"blocks", "catalog", "guide", "logos", "probe", "social"}; !slices.Equal(behind, want) {
		t.Errorf("%q are behind, want %q", behind, want)
	}
	if _, err := p.Catalog.View(); err == nil {
		t.Error("there is a catalog")
	}
}

// TestTopics checks that a process publishes to the topics that it declares, and
// to no others.
func TestTopics(t *testing.T) {
	p, err := Open(t.Context(), options(t), Process{Needs: []Need{Events}, Publishes: []string{"notes"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Bus.Publish(t.Context(), "notes", bus.Event{Data: []byte("x")}); err != nil {
		t.Error(err)
	}
	if err := p.Bus.Publish(t.Context(), "plays", bus.Event{Data: []byte("x")}); !errors.Is(err, bus.ErrTopic) {
		t.Errorf("publishing to a topic that is not declared: %v, want %v", err, bus.ErrTopic)
	}
}

// TestMisnamed checks that a schedule whose job has another name is refused: the
// scheduler would call a job that does not exist.
func TestMisnamed(t *testing.T) {
	o := options(t)
	o.Schedules[0].Job = "gide"
	if _, err := Open(t.Context(), o, Process{Needs: []Need{Jobs}}); err == nil || !strings.Contains(err.Error(), `"gide"`) {
		t.Errorf("Open = %v, want an error that names the schedule", err)
	}
}

// TestReads checks which settings a process reads.
func TestReads(t *testing.T) {
	p := Process{Needs: []Need{Documents}, Secrets: []string{"A_KEY|B_KEY"}, Settings: []string{"EXTRA", "PORT"}}
	want := []string{"A_KEY", "B_KEY", "DATA_DIR", "EXTRA", "FIRESTORE_EMULATOR_HOST"}
	if d := cmp.Diff(want, p.Reads()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, n := range []Need{Documents, Events, Catalog, Overlays, Guide, Social, Jobs, Mail, SignIn, Billing} {
		for _, name := range Settings(n) {
			if !slices.Contains(config.Names(), name) {
				t.Errorf("%s reads %s, which is not a setting", n, name)
			}
		}
	}
}

// TestPlan checks which sources the setting CATALOG names.
func TestPlan(t *testing.T) {
	live := PlanOf(config.Config{Catalog: "live", IPTVOrg: "https://x.example", RadioBrowser: "https://r.example"})
	if live.IPTVOrg.URL != "https://x.example" || live.Radio.URL != "https://r.example" {
		t.Errorf("live is %+v", live)
	}
	if folder := PlanOf(config.Config{Catalog: t.TempDir()}); folder.IPTVOrg.Folder == nil || folder.Radio.Folder == nil {
		t.Errorf("a folder is %+v", folder)
	}
}

const receiver = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"

// TestTill opens a till that sells and one that does not, and runs its job.
func TestTill(t *testing.T) {
	for _, test := range []struct {
		vars  []string
		free  bool
		asset int64
	}{
		{nil, true, 0},
		{[]string{"PAYMENT_TO", strings.ToLower(receiver), "PAYMENT_FACILITATORS", "https://f.example", "GUEST_KEYS", strings.Repeat("k", 32)}, false, 8453},
		{[]string{"PAYMENT_TO", receiver, "PAYMENT_FACILITATORS", "https://f.example", "PAYMENT_NETWORK", "base-sepolia", "GUEST_KEYS", strings.Repeat("k", 32)}, false, 84532},
	} {
		p, err := Open(t.Context(), options(t, test.vars...), Process{Needs: []Need{Billing}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		offer := p.Till.Offer(billing.Order{Products: []price.Product{price.ChatPass}}, "")
		if p.Till.Free() != test.free || len(offer.Terms) == 0 != test.free {
			t.Errorf("%v: free %t, terms %+v", test.vars, p.Till.Free(), offer.Terms)
		}
		for _, terms := range offer.Terms {
			if terms.PayTo != receiver || terms.Asset.ChainID != test.asset {
				t.Errorf("%v: %+v", test.vars, terms)
			}
		}
		payments, err := p.PaymentsJob()
		if err != nil || payments.Name != billing.Job {
			t.Fatalf("the job %q, %v", payments.Name, err)
		}
		if report, err := payments.Run(t.Context(), job.Order{}); err != nil || report != (billing.Repaired{}) {
			t.Errorf("the job reports %+v, %v", report, err)
		}
	}
}
