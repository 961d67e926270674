package social

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/bus"
)

// Reports is the topic of Report, with one subscription of the same name.
const Reports = "play-reports"

// Codes are the reasons for which a play fails, as reports name them.
var Codes = []string{"cors", "geo", "sumiu", "codec", "playlist", "sem_resposta", "protocolo", "sem_stream", "outro"}

// OtherCode is the reason of failures that tell none.
const OtherCode = "outro"

// A Report says that a channel played, or did not, where a person is. The same
// person, channel, day and result give the same Key, however often they are
// told.
type Report struct {
	Key     string    `json:"key"` // 64 hexadecimal digits; tells nothing of the person
	Channel string    `json:"channel"`
	OK      bool      `json:"ok"`
	Code    string    `json:"code,omitempty"` // one of Codes, and only when it did not play
	Browser string    `json:"browser"`        // such as Chrome, or Other
	OS      string    `json:"os"`             // such as Windows, or Other
	Country string    `json:"country"`        // ISO 3166-1 alpha-2, or Unknown
	At      time.Time `json:"at"`
}

// Event returns r to be published to Reports, or bus.ErrEvent when r has not
// the form that its fields say.
func (r Report) Event() (bus.Event, error) { return encode(r) }

// ReportOf returns the report that e tells of, or bus.ErrEvent.
func ReportOf(e bus.Event) (Report, error) { return decode[Report](e) }

func (r Report) check() error {
	if len(r.Key) != 64 || strings.Trim(r.Key, "0123456789abcdef") != "" {
		return errors.New("key is not 64 hexadecimal digits")
	}
	if r.OK != (r.Code == "") || !r.OK && !slices.Contains(Codes, r.Code) {
		return fmt.Errorf("code %.40q of a report that is ok: %t", r.Code, r.OK)
	}
	return errors.Join(checkChannel(r.Channel), checkMoment(r.At), checkCountry(r.Country), checkName(r.Browser), checkName(r.OS))
}

// maxName is the greatest length of a browser's or a system's name, in bytes.
const maxName = 32

// checkName refuses what is no name of a browser or a system: the bar parts
// the names within one key.
func checkName(s string) error {
	if s == "" || len(s) > maxName || strings.Contains(s, bar) || strings.ContainsFunc(s, notName) {
		return fmt.Errorf("name %.40q", s)
	}
	return nil
}

func notName(r rune) bool { return r < ' ' || r > '~' }

// checkMoment refuses a moment that is none of this service.
func checkMoment(at time.Time) error {
	if at.Year() < 2000 || at.Year() > 9999 {
		return errors.New("no moment")
	}
	return nil
}
