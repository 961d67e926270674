package pass

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

const day = 24 * time.Hour

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) store.Time { return store.At(noon.Add(d)) }

// TestChat extends a pass before it began, while it is valid, and after its end.
func TestChat(t *testing.T) {
	var p Passes
	for _, test := range []struct{ now, want time.Duration }{
		{0, 30 * day}, {day, 60 * day}, {60*day - 1, 90 * day}, {90 * day, 120 * day}, {200 * day, 230 * day},
	} {
		if got := p.ExtendChat(noon.Add(test.now)); !got.Equal(noon.Add(test.want)) {
			t.Errorf("after %v it ends at %v, want %v", test.now, got, noon.Add(test.want))
		}
	}
	for now, want := range map[time.Duration]bool{230*day - 1: true, 230 * day: false} {
		if _, valid := p.Chat(noon.Add(now)); valid != want {
			t.Errorf("after %v it is valid: %t", now, valid)
		}
	}
}

// TestNetworks checks which networks an owner sees: those with a valid pass, each
// once, and a bounded number.
func TestNetworks(t *testing.T) {
	var p Passes
	p.Note("old", noon.Add(time.Hour), noon)
	for i := range maxNetworks + 5 {
		p.Note(fmt.Sprint("n", i), noon.Add(time.Duration(i+2)*day), noon.Add(day))
	}
	p.Note("n10", noon.Add(400*day), noon.Add(day))
	if len(p.Networks) != maxNetworks || p.Networks[0].ID != "n10" || p.Networks[1].ID != "n24" {
		t.Errorf("%d networks, %+v", len(p.Networks), p.Networks[:2])
	}
	if live := p.Live(noon.Add(300 * day)); len(live) != 1 || live[0].ID != "n10" {
		t.Errorf("live are %+v", live)
	}
	if got := p.Count(noon.Add(300 * day)); got != 1 {
		t.Errorf("%d passes are valid", got)
	}
}

// TestTake adds the passes of one owner to those of another.
func TestTake(t *testing.T) {
	now := noon.Add(10 * day)
	for _, test := range []struct {
		name              string
		mine, other, want time.Duration // ends of chat passes from noon; 0 for none
	}{
		{"none", 0, 0, 0},
		{"mine alone", 30 * day, 0, 30 * day},
		{"the other's alone", 0, 30 * day, 30 * day},
		{"both", 30 * day, 15 * day, 35 * day},
		{"both, the other's later", 15 * day, 30 * day, 35 * day},
		{"mine has ended", 5 * day, 30 * day, 30 * day},
		{"the other's has ended", 30 * day, 5 * day, 30 * day},
		{"both have ended", 3 * day, 5 * day, 5 * day},
	} {
		var p, other, want Passes
		for passes, end := range map[*Passes]time.Duration{&p: test.mine, &other: test.other, &want: test.want} {
			if end > 0 {
				passes.ChatUntil = at(end)
			}
		}
		p.Take(other, now)
		if d := cmp.Diff(want, p); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
	}
	p := Passes{Networks: []Network{{"a", at(20 * day)}, {"b", at(30 * day)}, {"gone", at(5 * day)}}}
	p.Take(Passes{Networks: []Network{{"c", at(25 * day)}, {"a", at(40 * day)}}}, now)
	if d := cmp.Diff([]Network{{"a", at(40 * day)}, {"b", at(30 * day)}, {"c", at(25 * day)}}, p.Networks); d != "" {
		t.Errorf("networks (-want +got):\n%s", d)
	}
}

// TestStored reads the documents of owners and networks, and none.
func TestStored(t *testing.T) {
	db, ctx := wiretest.OpenDB(t), t.Context()
	if p, err := Of(ctx, db, "g_1"); err != nil || p.Count(noon) != 0 {
		t.Errorf("an owner without passes has %+v, %v", p, err)
	}
	if until, err := NetworkUntil(ctx, db, "n"); err != nil || !until.IsZero() {
		t.Errorf("a network without a pass: %v, %v", until, err)
	}
	var n NetworkPass
	n.ExtendNetwork(noon, 30)
	if until := n.ExtendNetwork(noon.Add(day), 90); !until.Equal(noon.Add(120*day)) || n.ExpireAt != n.Until {
		t.Errorf("it ends at %v and expires at %v", until, n.ExpireAt)
	}
	want := Passes{ChatUntil: at(day)}
	err := db.Update(ctx, func(tx store.Tx) error {
		if _, err := In(tx, "g_1"); err != nil {
			return err
		}
		if err := tx.Set(Path("g_1"), want); err != nil {
			return err
		}
		return tx.Set(NetworkPath("n"), NetworkPass{Until: at(400 * day * 100), ExpireAt: at(400 * day * 100)})
	})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Of(ctx, db, "g_1"); err != nil || !p.ChatUntil.Equal(want.ChatUntil.Time) {
		t.Errorf("%+v, %v", p, err)
	}
	if until, err := NetworkUntil(ctx, db, "n"); err != nil || !until.Equal(noon.Add(400*day*100)) {
		t.Errorf("%v, %v", until, err)
	}
	if _, err := Of(ctx, storetest.Broken(), "g_1"); err == nil {
		t.Error("a broken database has passes")
	}
}
