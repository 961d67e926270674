package social

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact"
)

// Codes are the reasons for which a play fails, as reports name them.
var Codes = []string{"cors", "geo", "sumiu", "codec", "playlist", "sem_resposta", "protocolo", "sem_stream", "outro"}

// OtherCode is the reason of failures without a reason.
const OtherCode = "outro"

// A Report says that a channel played, or did not, where a person is. The same
// person, channel, day and result give the same Key.
type Report struct {
	Key     string    `json:"key"` // 64 hexadecimal digits that do not identify the person
	Channel string    `json:"channel"`
	OK      bool      `json:"ok"`
	Code    string    `json:"code,omitempty"` // one of Codes, and only when it did not play
	Browser string    `json:"browser"`        // such as Chrome, or Other
	OS      string    `json:"os"`             // such as Windows, or Other
	Country string    `json:"country"`        // ISO 3166-1 alpha-2, or Unknown
	At      time.Time `json:"at"`

	// Network is the name of the network that it came from, as NetworkOf returns it,
	// and Doubtful halves its voice. Reports without a network have no voice.
	Network  string `json:"network,omitempty"`
	Doubtful bool   `json:"doubtful,omitempty"`
}

// Event returns r as an event of Reports, or bus.ErrEvent when a field is not
// valid.
func (r Report) Event() (bus.Event, error) { return fact.Encode(r) }

// ReportOf returns the report of an event, or bus.ErrEvent.
func ReportOf(e bus.Event) (Report, error) { return fact.Decode[Report](e) }

// Check implements [fact.Fact].
func (r Report) Check() error {
	if len(r.Key) != 64 || strings.Trim(r.Key, "0123456789abcdef") != "" {
		return errors.New("key is not 64 hexadecimal digits")
	}
	if r.OK != (r.Code == "") || !r.OK && !slices.Contains(Codes, r.Code) {
		return fmt.Errorf("code %.40q of a report that is ok: %t", r.Code, r.OK)
	}
	return errors.Join(checkChannel(r.Channel), checkMoment(r.At), checkCountry(r.Country), checkName(r.Browser), checkName(r.OS), checkNetwork(r.Network))
}

// maxName is the greatest length of a browser's or a system's name, in bytes.
const maxName = 32

// checkName refuses what is not a name of a browser or a system: the bar
// separates the names within one key.
func checkName(s string) error {
	if s == "" || len(s) > maxName || strings.Contains(s, bar) || strings.ContainsFunc(s, notName) {
		return fmt.Errorf("name %.40q", s)
	}
	return nil
}

func notName(r rune) bool { return r < ' ' || r > '~' }

// checkMoment refuses moments at which this service did not exist.
func checkMoment(at time.Time) error {
	if at.Year() < 2000 || at.Year() > 9999 {
		return errors.New("the moment is not between the years 2000 and 9999")
	}
	return nil
}
