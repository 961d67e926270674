package testchannel

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/source/xmltv"
)

// TestGuide reads the guide as the service does: it has every hour of the days
// around now, without a gap.
func TestGuide(t *testing.T) {
	now := time.Date(2026, 11, 22, 23, 59, 0, 0, time.FixedZone("", -3*3600))
	o := newOrigin(t, func() time.Time { return now })
	body := get(t, o, http.MethodGet, guidePath).Body
	if !strings.HasPrefix(Guide("http://host"), "http://host"+guidePath+"#") {
		t.Errorf("the setting is %s", Guide("http://host"))
	}
	channels, at := 0, time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	_, err := xmltv.Read(body, xmltv.Options{}, func(c *xmltv.Channel) error {
		channels++
		if c.ID != channelID+"@SD" {
			t.Errorf("a guide of %s", c.ID)
		}
		return nil
	}, func(p *xmltv.Programme) error {
		if !p.Start.Equal(at) || !p.Stop.Equal(at.Add(time.Hour)) || p.Title == "" || p.Desc == "" || p.Category == "" {
			t.Errorf("at %v: %+v", at, p)
		}
		at = at.Add(time.Hour)
		return nil
	})
	if want := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC); err != nil || channels != 1 || !at.Equal(want) {
		t.Errorf("%d channels until %v, want %v, %v", channels, at, want, err)
	}
}

// TestLogos checks that the two logos are pictures of their own.
func TestLogos(t *testing.T) {
	o := newOrigin(t, time.Now)
	var last []byte
	for _, path := range []string{logoPath, stationLogoPath} {
		w := get(t, o, http.MethodGet, path)
		data := bytes.Clone(w.Body.Bytes())
		if im, err := png.Decode(w.Body); err != nil || im.Bounds().Dx() != cardSize || bytes.Equal(data, last) {
			t.Errorf("%s: %v", path, err)
		}
		last = data
	}
}
