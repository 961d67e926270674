package testchannel

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Paths of the streams of an origin.
const (
	MasterPath  = "/tv/master.m3u8" // of the channel
	StationPath = "/station.mp3"
)

// Paths below the channel's playlist.
const (
	mediaPath   = "/tv/live.m3u8"
	segmentPath = "/tv/{segment}"
)

const (
	maxListeners = 64              // of the station, at one time
	burst        = 4 * time.Second // of sound sent at once to a new listener, so that it starts soon
	beat         = 480 * time.Millisecond
	patience     = 10 * time.Second // with a listener that does not read
)

// An Origin is the server of the channel and the station. Its requests end
// with their context: the server that runs it cancels that to stop.
type Origin struct {
	mux       *http.ServeMux
	now       func() time.Time
	clip      *clip
	listeners chan struct{} // one for each listener of the station

	channelLogo, stationLogo []byte
}

// New returns an origin that plays by the clock now.
func New(now func() time.Time) (*Origin, error) {
	c, err := load()
	if err != nil {
		return nil, err
	}
	o := &Origin{mux: http.NewServeMux(), now: now, clip: c, listeners: make(chan struct{}, maxListeners)}
	if o.channelLogo, o.stationLogo, err = logos(); err != nil {
		return nil, err
	}
	o.mux.HandleFunc("GET "+MasterPath, o.master)
	o.mux.HandleFunc("GET "+mediaPath, o.media)
	o.mux.HandleFunc("GET "+segmentPath, o.segment)
	o.mux.HandleFunc("GET "+StationPath, o.station)
	o.mux.HandleFunc("GET "+guidePath, o.guide)
	o.mux.HandleFunc("GET "+logoPath, o.logo)
	o.mux.HandleFunc("GET "+stationLogoPath, o.logoOfStation)
	o.mux.HandleFunc("GET /", http.NotFound)
	o.mux.HandleFunc("OPTIONS /", preflight)
	return o, nil
}

// ServeHTTP answers players of any page.
func (o *Origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Content-Length, Content-Range, Date")
	h.Set("X-Content-Type-Options", "nosniff")
	o.mux.ServeHTTP(w, r)
}

// preflight lets pages ask for ranges.
func preflight(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Range")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

func (o *Origin) master(w http.ResponseWriter, r *http.Request) {
	o.send(w, r, "application/vnd.apple.mpegurl", "no-cache", []byte(master))
}

func (o *Origin) media(w http.ResponseWriter, r *http.Request) {
	o.send(w, r, "application/vnd.apple.mpegurl", "no-cache", playlist(o.now()))
}

// segment sends a segment that the playlist shows, or has shown a moment ago.
func (o *Origin) segment(w http.ResponseWriter, r *http.Request) {
	name, isTS := strings.CutSuffix(r.PathValue("segment"), ".ts")
	s, err := strconv.ParseInt(name, 10, 64)
	end := edge(o.now())
	if err != nil || !isTS || s >= end || s < end-window-kept || strconv.FormatInt(s, 10) != name {
		http.NotFound(w, r)
		return
	}
	o.send(w, r, "video/mp2t", "public, max-age=60", o.clip.segment(s))
}

func (o *Origin) send(w http.ResponseWriter, r *http.Request, mediaType, cache string, body []byte) {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Cache-Control", cache)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// station sends sound without end, as fast as it is played.
func (o *Origin) station(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "audio/mpeg")
	h.Set("Cache-Control", "no-store")
	h.Set("Accept-Ranges", "none")
	h.Set("Icy-Name", "Miramundo Test Tone")
	h.Set("Icy-Br", "64")
	if r.Method == http.MethodHead {
		return
	}
	select {
	case o.listeners <- struct{}{}:
		defer func() { <-o.listeners }()
		o.play(r.Context(), w)
	default:
		h.Set("Retry-After", "30")
		http.Error(w, "the station has all the listeners it can have", http.StatusServiceUnavailable)
	}
}

// play writes the frames up to the clock's, at each beat, until ctx is done or
// the listener is gone. A listener that fell behind misses what is older than
// a burst.
func (o *Origin) play(ctx context.Context, w http.ResponseWriter) {
	c := http.NewResponseController(w)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for next := int64(0); ; {
		live := o.now().UnixMilli() / frameLength.Milliseconds()
		next = max(next, live-int64(burst/frameLength))
		_ = c.SetWriteDeadline(time.Now().Add(patience)) // not every writer has deadlines
		for ; next < live; next++ {
			if _, err := w.Write(o.clip.frame(next)); err != nil {
				return
			}
		}
		if c.Flush() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
