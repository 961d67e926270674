package xmltv

import (
	"strings"
	"testing"
	"time"
)

var times = []struct{ in, want string }{
	{"20260314203015 +0000", "2026-03-14 20:30:15"},
	{"20260314203015 +0130", "2026-03-14 19:00:15"},
	{"20260314203015 -0330", "2026-03-15 00:00:15"},
	{"20260314203015 +01:30", "2026-03-14 19:00:15"},
	{"20260314203015 +02", "2026-03-14 18:30:15"},
	{"20260314203015+0100", "2026-03-14 19:30:15"},
	{" 20260314203015\t+0100\n", "2026-03-14 19:30:15"},
	{"20260314203015 -0000", "2026-03-14 20:30:15"},
	{"20260314203015 +1400", "2026-03-14 06:30:15"},
	{"20260314203015 -1400", "2026-03-15 10:30:15"},
	{"20260314203015 Z", "2026-03-14 20:30:15"},
	{"20260314203015Z", "2026-03-14 20:30:15"},
	{"20260314203015 UTC", "2026-03-14 20:30:15"},
	{"20260314203015 gmt", "2026-03-14 20:30:15"},
	{"200007281733 BST", "2000-07-28 16:33:00"}, // of the DTD
	{"19880523083000 +0300", "1988-05-23 05:30:00"},
	{"20260314203015 CET", "2026-03-14 19:30:15"},
	{"20260314203015 CEST", "2026-03-14 18:30:15"},
	{"20260314203015 EST", "2026-03-15 01:30:15"},
	{"20260314203015 EDT", "2026-03-15 00:30:15"},
	{"20260314203015 MST", "2026-03-15 03:30:15"},
	{"20260314203015 BRT", "2026-03-14 23:30:15"},
	{"20260314203015 JST", "2026-03-14 11:30:15"},
	{"20260314203015", "2026-03-14 20:30:15"},
	{"202603142030", "2026-03-14 20:30:00"},
	{"2026031420", "2026-03-14 20:00:00"},
	{"20260314", "2026-03-14 00:00:00"},
	{"20260314 +0100", "2026-03-13 23:00:00"},
	{"20240229235959", "2024-02-29 23:59:59"},
	{"20260314240000", "2026-03-15 00:00:00"},
	{"2026031424", "2026-03-15 00:00:00"},

	{in: ""}, {in: " "}, {in: "now"}, {in: "+0100"}, {in: "0"},
	{in: "2026"}, {in: "202603"}, // too little to put a programme anywhere
	{in: "2026031"}, {in: "202603142"}, {in: "2026031420301"}, {in: "202603142030150"}, {in: "20260314203015000"},
	{in: "20261301000000"}, {in: "20260001000000"}, {in: "20260300000000"}, {in: "20260332000000"},
	{in: "20260229000000"}, {in: "20260431000000"}, {in: "00000000000000"}, {in: "18991231000000"},
	{in: "20260314240001"}, {in: "20260314250000"}, {in: "20260314206000"}, {in: "20260314203060"},
	{in: "20260314203015 +1401"}, {in: "20260314203015 +0060"}, {in: "20260314203015 +9999"}, {in: "20260314203015 +1"},
	{in: "20260314203015 +01000"}, {in: "20260314203015 +0a00"}, {in: "20260314203015 ++100"}, {in: "20260314203015 +"},
	{in: "20260314203015 -"}, {in: "20260314203015 +01:0"}, {in: "20260314203015 +:0100"}, {in: "20260314203015 01:00"},
	{in: "20260314203015 XYZ"}, {in: "20260314203015 Europe/Berlin"}, {in: "20260314203015 UTC+1"}, {in: "20260314203015.000 Z"},
	{in: "2026-03-14T20:30:15Z"}, {in: "２０２６０３１４２０３０１５"}, {in: "-20260314203015"}, {in: "20260314203015 \xff"},
}

func TestTimes(t *testing.T) {
	for _, tc := range times {
		got, ok := new(clock).instant([]byte(tc.in), time.Time{})
		switch {
		case ok != (tc.want != ""):
			t.Errorf("%q: %v, %v", tc.in, got, ok)
		case ok && got.Format(time.DateTime) != tc.want:
			t.Errorf("%q is %v, want %s", tc.in, got, tc.want)
		}
	}
}

func TestZones(t *testing.T) {
	for name, minutes := range zones {
		if name != strings.ToUpper(name) || minutes%30 != 0 || minutes < -maxOffset || minutes > maxOffset {
			t.Errorf("%s is %d minutes", name, minutes)
		}
	}
}

// days are those on which clocks change, with programmes of one channel in the
// order of a file, times as clocks show them and as they are.
var days = []struct{ zone, name, in, want string }{
	{"UTC", "nothing changes", "20260329013000-20260329033000", "01:30-03:30"},
	{"Europe/Berlin", "winter", "20260115013000-20260115033000", "00:30-02:30"},
	{"Europe/Berlin", "summer", "20260715013000-20260715033000", "23:30-01:30"},
	{"Europe/Berlin", "clocks put forward", "20260329013000-20260329030000 20260329030000-20260329040000", "00:30-01:00 01:00-02:00"},
	{"Europe/Berlin", "an hour that is skipped", "20260329010000-20260329023000 20260329023000-20260329040000", "00:00-01:30 01:30-02:00"},
	{"Europe/Berlin", "clocks put back over a programme", "20261025013000-20261025033000", "23:30-02:30"},
	{"Europe/Berlin", "an hour twice", "20261025013000-20261025023000 20261025023000-20261025020000 20261025020000-20261025023000 20261025023000-20261025030000", "23:30-00:30 00:30-01:00 01:00-01:30 01:30-02:00"},
	{"Europe/Berlin", "an hour twice, as one programme each", "20261025020000-20261025020000 20261025020000-20261025030000", "00:00-01:00 01:00-02:00"},
	{"Europe/Berlin", "an hour twice, without ends", "20261025020000- 20261025023000- 20261025020000- 20261025023000- 20261025030000-", "00:00- 00:30- 01:00- 01:30- 02:00-"},
	{"Europe/Berlin", "a programme twice", "20261025023000- 20261025023000-", "00:30- 00:30-"},
	{"Europe/Berlin", "a zone on that day", "20261025023000 +0200-20261025023000 CET", "00:30-01:30"},
	{"America/Sao_Paulo", "midnight that is skipped", "20181103233000-20181104000000 20181104000000-20181104010000 20181104010000-20181104020000", "02:30-03:00 03:00-03:00 03:00-04:00"},
	{"Australia/Lord_Howe", "half an hour twice", "20260405013000-20260405014500 20260405014500-20260405013000 20260405013000-20260405020000", "14:30-14:45 14:45-15:00 15:00-15:30"},
	{"America/New_York", "an hour twice, west", "20261101010000-20261101013000 20261101013000-20261101010000 20261101010000-20261101020000", "05:00-05:30 05:30-06:00 06:00-07:00"},
}

func TestDaysOfChange(t *testing.T) {
	for _, tc := range days {
		t.Run(tc.zone+" "+tc.name, func(t *testing.T) {
			zone, err := time.LoadLocation(tc.zone)
			if err != nil {
				t.Skip("no time zones:", err)
			}
			c := clock{zone: zone}
			var got []string
			for _, p := range strings.Split(strings.ReplaceAll(tc.in, " 2", "|2"), "|") {
				start, stop, _ := strings.Cut(p, "-")
				from, to, ok := c.times("um", []byte(start), []byte(stop))
				if !ok {
					t.Fatalf("%s makes no sense", p)
				}
				line := from.Format("15:04") + "-"
				if !to.IsZero() {
					line += to.Format("15:04")
				}
				got = append(got, line)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("%s is %s, want %s", tc.in, got, tc.want)
			}
		})
	}
}

// TestChannelsApart does not take the programmes of one channel for those of
// another.
func TestChannelsApart(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones:", err)
	}
	c := clock{zone: zone}
	for _, channel := range []string{"um", "dois"} {
		from, _, _ := c.times(channel, []byte("20261025023000"), []byte("20261025023000"))
		if from.Hour() != 0 {
			t.Errorf("%s begins at %v", channel, from)
		}
	}
}
