package testchannel

import (
	"encoding/xml"
	"net/http"
	"time"
)

// guidePath is where the guide of the channel is, in XMLTV form.
const guidePath = "/guia.xml"

// Guide returns the setting that reads the guide of the channel from the origin
// at base: see GUIDE_SOURCES.
func Guide(base string) string { return base + guidePath + "#name=local&lang=pt" }

// guideDays is how many days the guide tells of, from yesterday on.
const guideDays = 4

// grid is what the channel shows, an hour each, again and again: the length
// divides a day, so that every day is the same.
var grid = []struct{ title, desc, category string }{
	{"Barras de cor", "As sete barras, do branco ao azul, com o relógio no meio.", "Documentary"},
	{"Relógio ao vivo", "O tempo passa, segundo a segundo, e nada mais acontece.", "News"},
	{"Tom de teste", "Um tom só, para acertar o volume.", "Music"},
	{"Sessão da mira", "A mira inteira, parada, para acertar o quadro.", "Movies"},
}

type xmlGuide struct {
	XMLName    xml.Name       `xml:"tv"`
	Generator  string         `xml:"generator-info-name,attr"`
	Channels   []xmlChannel   `xml:"channel"`
	Programmes []xmlProgramme `xml:"programme"`
}

type xmlChannel struct {
	ID   string  `xml:"id,attr"`
	Name xmlText `xml:"display-name"`
}

type xmlProgramme struct {
	Start    string  `xml:"start,attr"`
	Stop     string  `xml:"stop,attr"`
	Channel  string  `xml:"channel,attr"`
	Title    xmlText `xml:"title"`
	Desc     xmlText `xml:"desc"`
	Category xmlText `xml:"category"`
}

type xmlText struct {
	Lang string `xml:"lang,attr,omitempty"`
	Text string `xml:",chardata"`
}

// guideOf returns the guide of the days around now.
func guideOf(now time.Time) ([]byte, error) {
	const id, layout = channelID + "@SD", "20060102150405 -0700"
	g := xmlGuide{
		Generator: "Miramundo",
		Channels:  []xmlChannel{{ID: id, Name: xmlText{Text: channelName}}},
	}
	day := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	for hour := range guideDays * 24 {
		at, show := day.Add(time.Duration(hour)*time.Hour), grid[hour%len(grid)]
		g.Programmes = append(g.Programmes, xmlProgramme{
			Start: at.Format(layout), Stop: at.Add(time.Hour).Format(layout), Channel: id,
			Title: xmlText{"pt", show.title}, Desc: xmlText{"pt", show.desc}, Category: xmlText{"en", show.category},
		})
	}
	body, err := xml.MarshalIndent(g, "", "  ")
	return append([]byte(xml.Header), body...), err
}

func (o *Origin) guide(w http.ResponseWriter, r *http.Request) {
	body, err := guideOf(o.now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	o.send(w, r, "application/xml", "no-cache", body)
}
