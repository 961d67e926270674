package index_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/index/indextest"
	"miramundo.dev/shared/catalog/prior"
)

// explained returns the answer to q with explanations.
func explained(t *testing.T, v *index.View, q index.Query) catalog.Page {
	t.Helper()
	q.Explain = true
	var page catalog.Page
	if err := json.Unmarshal(v.Search(q, 0, nil), &page); err != nil {
		t.Fatal(err)
	}
	return page
}

// TestExplain checks that explanations change nothing else of a page, and agree
// with its order and with what the items show.
func TestExplain(t *testing.T) {
	reg := indextest.Synthetic(51, 3000)
	v := index.NewView(build(t, reg), indextest.Overlay(51, reg), links)
	r := rand.New(rand.NewPCG(51, 1))
	scored, byCountry, byLanguage, byPlayable, live := 0, 0, 0, 0, 0
	for range 300 {
		q := indextest.Query(r, reg)
		q.Home, q.Speaks, q.Limit = pick(r, "", "BR", "US"), pick(r, "", reg.Languages[0].Code, reg.Languages[1].Code), 50
		q.Sort = pick(r, "relevance", "relevance", "relevance", "popular", "name")
		if r.IntN(4) == 0 {
			q.Q, q.Offset = pick(r, "tv", "globo", "a", "news", "radio"), pick(r, 0, 40)
		}
		page, plain := explained(t, v, q), catalog.Page{}
		if err := json.Unmarshal(v.Search(q, 0, nil), &plain); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(plain, page, cmpopts.IgnoreFields(catalog.Channel{}, "Explain")); d != "" {
			t.Fatalf("%+v (-plain +explained):\n%s", q, d)
		}
		for i := range page.Items {
			c := &page.Items[i]
			x := c.Explain
			if x == nil || plain.Items[i].Explain != nil {
				t.Fatalf("%+v: %s is explained as %v with, and as %v without", q, c.ID, x, plain.Items[i].Explain)
			}
			sum := 0
			for _, p := range x.Parts {
				sum += p.Points
			}
			if min(sum, prior.Most)+x.Live != x.Rating {
				t.Errorf("%s: parts of %d and %d live make %d", c.ID, sum, x.Live, x.Rating)
			}
			if x.Live != 0 {
				live++
			}
			if q.Sort != "relevance" || q.Q == "" {
				if x.Score != nil || x.Text != nil {
					t.Errorf("%+v: %s has a score", q, c.ID)
				}
				continue
			}
			if x.Score == nil {
				continue
			}
			scored++
			if i > 0 && (page.Items[i-1].Explain.Score == nil || *page.Items[i-1].Explain.Score < *x.Score) {
				t.Errorf("%+v: %s has the score %d, behind a lower one", q, c.ID, *x.Score)
			}
			if x.RatingPoints < 0 || x.RatingPoints > x.Rating+100 {
				t.Errorf("%+v: %s has %d points for a rating of %d", q, c.ID, x.RatingPoints, x.Rating)
			}
			here := q.Home != "" && c.Country != nil && *c.Country == q.Home
			speaks := q.Speaks != "" && slices.Contains(c.Languages, q.Speaks)
			if (x.Country > 0) != here || speaks && x.Language == 0 || x.Language > 0 && len(c.Languages) == 0 || (x.Playable > 0) != (!q.Playable && c.PlayableHint) {
				t.Errorf("%+v: %s in %v, which speaks %v, has %+v", q, c.ID, c.Country, c.Languages, x)
			}
			byCountry, byLanguage, byPlayable = byCountry+min(x.Country, 1), byLanguage+min(x.Language, 1), byPlayable+min(x.Playable, 1)
		}
	}
	if min(scored, byCountry, byLanguage, byPlayable, live) < 20 {
		t.Errorf("%d scored, %d by country, %d by language, %d by playable, %d live: the test checks little", scored, byCountry, byLanguage, byPlayable, live)
	}
}

// TestExplainText checks by what an item is said to answer a search.
func TestExplainText(t *testing.T) {
	record := func(id, name, country string, r catalog.Record) catalog.Record {
		r.ID, r.Name, r.Country, r.Origin = id, name, country, "up"
		return r
	}
	mundo := catalog.Record{AltNames: []string{"World Plus"}, FeedNames: []catalog.FeedName{{Feed: "Norte", Name: "Norte"}}}
	known := mundo
	known.GuideSites = 20
	v := index.NewView(build(t, &catalog.Register{Records: []catalog.Record{
		record("Mundo.br", "Canal Mundo", "BR", known),
		record("Mundo2.br", "Canal Mundo Dois", "BR", mundo), // with these two enough is found without dropping words
		record("Mundo3.br", "Canal Mundo Tres", "BR", mundo),
		record("First.ru", "Первый канал", "RU", catalog.Record{}),
		record("Aurora.ar", "Aurora", "AR", catalog.Record{AltNames: []string{"Bahia"}}),
	}}), index.Overlay{}, links)
	for _, test := range []struct {
		q    string
		id   string
		want catalog.ExplainedText
	}{
		{"canal mundo", "Mundo.br", catalog.ExplainedText{By: "name", Exact: true, Name: "canal mundo", Values: []string{"kind=tv"}, Reading: "canal mundo"}},
		{"canalmundo", "Mundo.br", catalog.ExplainedText{By: "name", Exact: true, Name: "canal mundo", Reading: "canalmundo"}},
		{"mundo", "Mundo.br", catalog.ExplainedText{By: "name", Name: "canal mundo", Reading: "mundo"}},
		{"world plus", "Mundo.br", catalog.ExplainedText{By: "other_name", Exact: true, Name: "world plus", Reading: "world plus"}},
		{"mundo norte", "Mundo.br", catalog.ExplainedText{By: "feed_name", Name: "canal mundo norte", Reading: "mundo norte"}},
		{"world norte", "Mundo.br", catalog.ExplainedText{By: "several_names", Reading: "world norte"}},
		{"pervyi kanal", "First.ru", catalog.ExplainedText{By: "romanised_name", Exact: true, Name: "pervyi kanal", Values: []string{"kind=tv"}, Reading: "pervyi kanal"}},
		{"argentina", "Aurora.ar", catalog.ExplainedText{By: "values", Values: []string{"country=AR"}, Reading: "argentina"}},
		{"aurora argentina", "Aurora.ar", catalog.ExplainedText{By: "name", Name: "aurora", Values: []string{"country=AR"}, Reading: "aurora argentina"}},
		{"auroraa", "Aurora.ar", catalog.ExplainedText{By: "name", Name: "aurora", Reading: "aurora"}},
	} {
		page := explained(t, v, index.Query{Selection: filter.Selection{Q: test.q, Kind: "all", Sort: "relevance"}, Limit: 1})
		if len(page.Items) == 0 || page.Items[0].ID != test.id || page.Items[0].Explain.Text == nil {
			t.Errorf("%q: %+v", test.q, page.Items)
			continue
		}
		got := *page.Items[0].Explain.Text
		if got.Points <= 0 || (got.Cost > 0) != (test.q == "auroraa") {
			t.Errorf("%q: %+v", test.q, got)
		}
		if d := cmp.Diff(test.want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(catalog.ExplainedText{}, "Points", "Cost")); d != "" {
			t.Errorf("%q (-want +got):\n%s", test.q, d)
		}
	}
}
