package catalog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"net/http"
	"strconv"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/identity"
)

// guides are the endpoints of the programme guide: of one channel on a day, of all
// channels now, of many channels for some hours, and of one programme for a calendar.
var guides = []api.Endpoint{
	api.Bind((*Server).guideDay, api.Endpoint{
		Name: "get_channel_guide", Tool: true,
		Brief:   "channel_id day agora a_seguir programas.inicio programas.fim programas.titulo",
		Method:  "GET",
		Path:    catalog.ChannelsPath + "/{id}/guia",
		Auth:    api.None,
		Summary: "Get a channel's programme guide",
		Doc: "Returns the programmes of a channel on one UTC day, today or tomorrow, in order and at most 200, with the programme on " +
			"air and the next one. It answers 404 when the channel has no guide for that day; has_guide in the channel's record " +
			"says whether it has one at all.",
		Faults: []*fault.Error{catalog.ErrNoChannel, guide.ErrNoGuide, catalog.ErrNotLoaded},
		Cache:  api.Public(soon),
	}),
	api.Bind((*Server).guideNow, api.Endpoint{
		Name: "get_guide_now", Tool: true,
		Brief: "total next_offset items.channel_id items.name items.agora.titulo items.agora.inicio items.agora.fim " +
			"items.a_seguir.titulo items.a_seguir.inicio",
		Method:  "GET",
		Path:    nowPath,
		Auth:    api.None,
		Speaker: true,
		Summary: "List programmes on air now",
		Doc: "Returns a page of the channels that have a programme on air, ordered by name, each with that programme and the next " +
			"one. With q it returns instead the programmes on air or still to come whose titles match, at most " +
			strconv.Itoa(maxFound) + ". Only favorites=1 needs a credential.",
		Faults: []*fault.Error{identity.ErrCredential, catalog.ErrNotLoaded, fault.ErrUnavailable},
		Cache:  api.Private,
	}),
	gridEndpoint,
	calendarEndpoint,
}

// A Guide provides the programmes of channels, from memory. Its methods may be
// called concurrently. A [guide.Live] is one.
type Guide interface {
	// OnAir reports whether a channel has a programme at now.
	OnAir(channel string, now time.Time) bool

	// Now returns the current and the next programme of a channel without
	// descriptions, or nil when its guide does not cover the day. Detail returns
	// them with descriptions.
	Now(channel string, now time.Time) *catalog.GuideNow
	Detail(channel string, now time.Time) *catalog.GuideNow

	// Day returns the programmes of a channel on the UTC day of at, or
	// guide.ErrNoGuide.
	Day(channel string, at, now time.Time) (*catalog.GuideDay, error)

	// Between returns the programmes of a channel of which a part is on from one time to
	// another, in order and without descriptions. At returns the one that starts at a
	// time, with its description.
	Between(channel string, from, to time.Time) []guide.Programme
	At(channel string, start time.Time) (guide.Programme, bool)

	// Programmes returns the programmes of a channel that end after now, with their
	// descriptions.
	Programmes(channel string, now time.Time) []guide.Programme

	// Find yields the current and later programmes whose titles match q.
	Find(q string, now time.Time) iter.Seq[guide.Hit]

	// Version returns a number that changes whenever a programme does.
	Version() uint64
}

// How long caches keep a day of a guide: until the current programme ends, the
// next one begins or the day ends, whichever comes first, but at most longest,
// since the guide itself may change; at most soon while no programme is on air.
const (
	longest = 5 * time.Minute
	soon    = time.Minute
)

type guideDayIn struct {
	ID  string `path:"id" description:"The channel's catalog id."`
	Day string `query:"day" maxLength:"10" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" description:"UTC day as YYYY-MM-DD: today (the default) or tomorrow."`
}

func (s *Server) guideDay(_ context.Context, in guideDayIn) (daySheet, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return daySheet{}, err
	}
	channel, ok := v.Summary(in.ID)
	if !ok {
		return daySheet{}, v.NotFound(in.ID)
	}
	now := s.Now().UTC()
	at, err := dayOf(in.Day, now)
	if err != nil {
		return daySheet{}, err
	}
	d, err := s.Guide.Day(channel.ID, at, now)
	if err != nil {
		return daySheet{}, err
	}
	return newDaySheet(d, now)
}

// dayOf returns a time on a day in the form 2006-01-02, or on today when text is
// empty. Any day but today and tomorrow is guide.ErrNoGuide.
func dayOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, fault.ErrInvalid.With("param", "day")
	}
	switch day.Sub(now.Truncate(24 * time.Hour)) {
	case 0:
		return now, nil
	case 24 * time.Hour:
		return day, nil
	}
	return day, guide.ErrNoGuide
}

// A daySheet is an encoded day of a guide.
type daySheet struct {
	text []byte        // JSON
	tag  string        // hash of text
	age  time.Duration // how long caches may keep it
}

// newDaySheet encodes d, for caches from now on.
func newDaySheet(d *catalog.GuideDay, now time.Time) (daySheet, error) {
	text, err := plain(d)
	sum := sha256.Sum256(text)
	return daySheet{text, hex.EncodeToString(sum[:8]), ageOf(d, now)}, err
}

// ageOf returns how long d stays valid.
func ageOf(d *catalog.GuideDay, now time.Time) time.Duration {
	age := min(longest, now.Truncate(24*time.Hour).Add(24*time.Hour).Sub(now))
	if d.Now == nil {
		age = min(age, soon)
	} else {
		age = min(age, until(d.Now.Stop, now))
	}
	if d.After != nil {
		age = min(age, until(d.After.Start, now))
	}
	return age
}

// until returns the time from now until a time of a programme, never negative, or
// soon when text does not parse.
func until(text string, now time.Time) time.Duration {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return soon
	}
	return max(t.Sub(now), 0)
}

// Schema returns the shape of a day.
func (daySheet) Schema() any { return catalog.GuideDay{} }

// ETag returns a hash of the answer.
func (d daySheet) ETag() string { return d.tag }

// Reply writes the answer with its own Cache-Control.
func (d daySheet) Reply(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", string(api.Public(d.age)))
	return api.WriteJSON(w, r, d.text)
}

// plain returns a value as JSON without HTML escaping.
func plain(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
