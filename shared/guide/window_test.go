package guide

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBetween(t *testing.T) {
	l := shownOf(t, eveGrids(t))
	for _, test := range []struct {
		channel, from, to string
		want              []string
	}{
		{"A.br", "0:00", "24:00", []string{"Night", "News", "News", "Late"}},
		{"A.br", "1:00", "2:00", []string{"News"}}, // neither the one that ends then nor any that begins at the end
		{"A.br", "0:59", "1:01", []string{"Night", "News"}},
		{"A.br", "2:00", "3:00", nil},
		{"A.br", "24:00", "47:31", []string{"Late", "Última"}},
		{"A.br", "49:00", "72:00", nil},
		{"A.br", "3:00", "1:00", nil},
		{"E.br", "-2:00", "0:00", []string{"Eve"}},
		{"D.br", "0:00", "24:00", nil},
	} {
		var got []string
		for _, p := range l.Between(test.channel, at(test.from), at(test.to)) {
			got = append(got, p.Title)
			if p.Desc != "" || !p.Start.Before(p.Stop) {
				t.Errorf("%s: %+v", test.channel, p)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s from %s to %s (-want +got):\n%s", test.channel, test.from, test.to, diff)
		}
	}
	if got := (*Live)(nil).Between("A.br", at("0:00"), at("1:00")); got != nil {
		t.Errorf("no guide has %v", got)
	}
}

func TestAt(t *testing.T) {
	l := shownOf(t, eveGrids(t))
	p, ok := l.At("A.br", at("3:00"))
	want := Programme{at("3:00"), at("4:00"), "News", "About News", "Kind of N"}
	if diff := cmp.Diff(want, p); !ok || diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for channel, start := range map[string]string{"A.br": "3:01", "D.br": "0:00", "B.br": "72:00"} {
		if p, ok := l.At(channel, at(start)); ok {
			t.Errorf("%s at %s: %+v", channel, start, p)
		}
	}
	if _, ok := (*Live)(nil).At("A.br", at("3:00")); ok {
		t.Error("no guide has a programme")
	}
}
