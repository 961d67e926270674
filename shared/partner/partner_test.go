package partner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/i18n"
)

// TestTexts checks that every text of the information exists in every language, and
// that no two languages show the same one.
func TestTexts(t *testing.T) {
	titles := map[string]bool{}
	for _, l := range i18n.Locales {
		info := Of(l, "Miramundo", Addresses{Wallet: "0x1"})
		texts := []string{info.Title, info.Description, info.Audience, info.Note}
		for _, k := range info.Kinds {
			texts = append(texts, k.Name)
		}
		for _, p := range info.Placements {
			texts = append(texts, p.Name, p.Description)
		}
		for _, text := range texts {
			if text == "" || strings.HasPrefix(text, "partner.") {
				t.Errorf("%s: the text %q is missing", l, text)
			}
		}
		if titles[info.Description] {
			t.Errorf("%s: the description is that of another language", l)
		}
		titles[info.Description] = true
		if info.Contact.Email != nil || info.Wallet == nil || *info.Wallet != "0x1" {
			t.Errorf("%s: the address is %v and the wallet %v", l, info.Contact.Email, info.Wallet)
		}
	}
}

// TestPrices checks the prices of a space: a longer time costs more in all and less
// for each day.
func TestPrices(t *testing.T) {
	want := []price{{30, 60, 0}, {90, 162, 10}, {365, 548, 25}}
	if diff := cmp.Diff(want, spaces[0].prices()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, s := range spaces {
		all := s.prices()
		for i := range all[1:] {
			a, b := all[i], all[i+1]
			if b.USD <= a.USD || b.USD/float64(b.Days) >= a.USD/float64(a.Days) {
				t.Errorf("%s: %v after %v", s.id, b, a)
			}
		}
	}
	if len(spaces) > MaxSpaces {
		t.Errorf("%d spaces, of which a contact may name %d", len(spaces), MaxSpaces)
	}
	if !IsSpace("inicio") || IsSpace("nowhere") {
		t.Error("IsSpace does not find the spaces")
	}
}
