package health

import (
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/social"
)

// TestWorksIn takes each part of the rule at its edge, for a channel of Brazil that
// broadcasts to Portugal too, when it is the hundredth day.
func TestWorksIn(t *testing.T) {
	const today = social.Date(100)
	agreed := func(played, failed social.Date) map[string]social.Agreed {
		return map[string]social.Agreed{"PT": {Played: played, Failed: failed}}
	}
	online, dark := StreamFacts{Online: true}, StreamFacts{}
	onlineAtHome, darkAtHome := StreamFacts{Online: true, GeoBlocked: true}, StreamFacts{GeoBlocked: true}
	streams := func(s ...StreamFacts) []StreamFacts { return s }
	for _, test := range []struct {
		name    string
		agreed  map[string]social.Agreed
		streams []StreamFacts
		country string
		want    catalog.Verdict
	}{
		{"nothing known", nil, nil, "PT", "unknown"},
		{"no country", nil, streams(onlineAtHome), "", "fails"},
		{"not probed", nil, streams(dark, dark), "PT", "unknown"},
		{"a probe", nil, streams(dark, online), "PT", "likely"},
		{"a probe, far away", nil, streams(online), "JP", "likely"},
		{"a label, in its country", nil, streams(onlineAtHome), "BR", "likely"},
		{"a label, in its area", nil, streams(onlineAtHome), "PT", "likely"},
		{"a label, elsewhere", nil, streams(onlineAtHome), "JP", "fails"},
		{"a label, not probed", nil, streams(darkAtHome), "PT", "unknown"},
		{"a label, elsewhere, not probed", nil, streams(darkAtHome), "JP", "fails"},
		{"a label on one of two", nil, streams(onlineAtHome, dark), "JP", "unknown"},
		{"a label on the other of two", nil, streams(darkAtHome, online), "JP", "likely"},

		{"played today", agreed(today, 0), nil, "PT", "confirmed"},
		{"played on the first day that counts", agreed(today-29, 0), nil, "PT", "confirmed"},
		{"played too long ago", agreed(today-30, 0), nil, "PT", "unknown"},
		{"played too long ago, a probe", agreed(today-30, 0), streams(online), "PT", "likely"},
		{"played tomorrow, by a clock that is ahead", agreed(today+1, 0), nil, "PT", "confirmed"},
		{"played in another country", agreed(today, 0), nil, "JP", "unknown"},
		{"failed", agreed(0, today), nil, "PT", "fails"},
		{"failed, and a probe found it playing", agreed(0, today), streams(online), "PT", "fails"},
		{"failed too long ago", agreed(0, today-30), streams(online), "PT", "likely"},
		{"played, whatever the label", map[string]social.Agreed{"JP": {Played: today}}, streams(darkAtHome), "JP", "confirmed"},
		{"played after it failed", agreed(today, today-1), nil, "PT", "confirmed"},
		{"failed after it played", agreed(today-1, today), streams(online), "PT", "fails"},
		{"both on one day", agreed(today-9, today-9), nil, "PT", "likely"},
		{"both on one day, too long ago", agreed(today-30, today-30), nil, "PT", "unknown"},
		{"failed, played too long ago", agreed(today-31, today-29), nil, "PT", "fails"},
	} {
		f := Facts{Agreed: test.agreed, Today: today, Country: "BR", Area: []string{"c/BR", "c/PT"}, Streams: test.streams}
		if got := WorksIn(f, test.country); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestWorksInByReports makes verdicts from reports: a day of three networks decides, as long
// as it is recent, and one network decides nothing, however many owners and days it has.
func TestWorksInByReports(t *testing.T) {
	type say struct {
		day, owners, networks int
		ok, doubtful          bool
	}
	season := func(networks int, ok bool) (all []say) {
		for day := range 60 {
			all = append(all, say{day: day, owners: 100, networks: networks, ok: ok})
		}
		return all
	}
	const today = 60
	for name, test := range map[string]struct {
		says []say
		want catalog.Verdict
	}{
		"nobody":                            {nil, "unknown"},
		"one network plays for a season":    {season(1, true), "unknown"},
		"one network fails for a season":    {season(1, false), "unknown"},
		"two networks play for a season":    {season(2, true), "unknown"},
		"two networks fail for a season":    {season(2, false), "unknown"},
		"three networks play for a season":  {season(3, true), "confirmed"},
		"three networks fail for a season":  {season(3, false), "fails"},
		"three networks once":               {[]say{{day: 40, owners: 3, networks: 3, ok: true}}, "confirmed"},
		"three networks, too long ago":      {[]say{{day: 30, owners: 3, networks: 3, ok: true}}, "unknown"},
		"five that are doubted":             {[]say{{day: 59, owners: 50, networks: 5, ok: true, doubtful: true}}, "unknown"},
		"six that are doubted":              {[]say{{day: 59, owners: 50, networks: 6, ok: true, doubtful: true}}, "confirmed"},
		"three play, one fails for a month": {append([]say{{day: 31, owners: 3, networks: 3, ok: true}}, season(1, false)...), "confirmed"},
		"three fail, one plays for a month": {append([]say{{day: 31, owners: 3, networks: 3}}, season(1, true)...), "fails"},
		"one keeps an old agreement alive":  {append([]say{{day: 5, owners: 3, networks: 3, ok: true}}, season(1, true)...), "unknown"},
		"it broke":                          {append(season(3, true)[:50], say{day: 55, owners: 3, networks: 3}), "fails"},
		"it was mended":                     {append(season(3, false)[:50], say{day: 55, owners: 3, networks: 3, ok: true}), "confirmed"},
	} {
		var list []social.Report
		for n, s := range test.says {
			for owner := range s.owners {
				r := social.Report{
					Channel: "A.br", Browser: "Chrome", OS: "Windows", Country: "BR", OK: s.ok, Doubtful: s.doubtful,
					At: noon.AddDate(0, 0, s.day), Network: network(n<<12 | owner%s.networks), // another name each day
				}
				if !s.ok {
					r.Code = "geo"
				}
				list = append(list, r)
			}
		}
		f := Facts{Agreed: counted(list).Heard.Agreed, Today: social.DateOf(noon.Add(today * 24 * time.Hour))}
		if got := WorksIn(f, "BR"); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		if got := WorksIn(f, "PT"); got != catalog.Unknown {
			t.Errorf("%s: %s in another country", name, got)
		}
	}
}

// TestVerdictHostile checks days that cannot be, and a day on which no day has passed.
func TestVerdictHostile(t *testing.T) {
	const least, most = social.Date(-1 << 31), social.Date(1<<31 - 1)
	for _, today := range []social.Date{0, 20_000} {
		for _, test := range []struct {
			agreed social.Agreed
			want   catalog.Verdict
		}{
			{social.Agreed{}, "unknown"},
			{social.Agreed{Played: least}, "unknown"},
			{social.Agreed{Failed: least}, "unknown"},
			{social.Agreed{Played: least, Failed: least}, "unknown"},
			{social.Agreed{Played: most}, "confirmed"},
			{social.Agreed{Failed: most}, "fails"},
			{social.Agreed{Played: most, Failed: most}, "likely"},
		} {
			if got := Verdict(test.agreed, today, Unmeasured); got != test.want {
				t.Errorf("%v on day %d: %s, want %s", test.agreed, today, got, test.want)
			}
		}
	}
}
