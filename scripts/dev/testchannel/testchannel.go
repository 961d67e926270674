// Package testchannel knows a channel and a station that play with no network:
// a drawn test card with a running clock, and its sound.
//
// The clip in clip/ is rendered by the script render beside it. The origin
// plays it in a loop for ever, as if it were live: what is on depends on the
// clock alone, so that all players see the same, also after a restart. It also
// has a logo of each, and a guide.
package testchannel

import (
	"embed"
	"fmt"
	"io/fs"
	"time"

	"miramundo.dev/shared/source"
)

//go:embed clip
var files embed.FS

const (
	segmentLength = 2 * time.Second
	window        = 6 // segments in a playlist
	kept          = 6 // segments that can still be fetched after they left it

	frameLength = 24 * time.Millisecond // of the station's MP3, at 48 kHz
	frameBytes  = 192                   // at 64 kbit/s
)

// A clip is what is played: the segments of one loop of the channel, and the
// frames of one loop of the station.
type clip struct {
	segments [][]byte // of MPEG transport stream
	packets  counts   // of one loop
	frames   []byte   // of MP3
}

// load reads the clip that is embedded. It fails only when the build is wrong.
func load() (*clip, error) {
	c := new(clip)
	names, err := fs.Glob(files, "clip/*.m2t")
	if err != nil {
		return nil, err
	}
	for i := range names {
		data, err := files.ReadFile(fmt.Sprintf("clip/%d.m2t", i))
		if err != nil {
			return nil, err
		}
		c.segments = append(c.segments, data)
		c.packets.add(data)
	}
	c.frames, err = files.ReadFile("clip/station.mp3")
	if err != nil {
		return nil, err
	}
	if len(c.segments) == 0 || len(c.frames) == 0 || len(c.frames)%frameBytes != 0 {
		return nil, fmt.Errorf("the clip has %d segments and %d bytes of sound", len(c.segments), len(c.frames))
	}
	return c, nil
}

// segment is segment n of the endless repetition. Its timestamps go on from
// those of segment n-1, so that players see no seam.
func (c *clip) segment(n int64) []byte {
	length := int64(len(c.segments))
	loop, s := n/length, c.segments[n%length]
	return shifted(s, uint64(loop*length)*uint64(segmentLength/time.Second)*ticksPerSecond, c.packets.times(loop))
}

// frame is frame n of the endless repetition of the station's sound.
func (c *clip) frame(n int64) []byte {
	at := int(n%int64(len(c.frames)/frameBytes)) * frameBytes
	return c.frames[at : at+frameBytes]
}

// edge is the number of the segment that is being recorded at now: those
// before it can be played.
func edge(now time.Time) int64 { return now.UnixMilli() / segmentLength.Milliseconds() }

// playlist is the media playlist at now: a window that slides over endless
// time.
func playlist(now time.Time) []byte {
	first := edge(now) - window
	b := fmt.Appendf(nil, "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:%d\n#EXT-X-MEDIA-SEQUENCE:%d\n",
		segmentLength/time.Second, first)
	for s := first; s < first+window; s++ {
		at := time.UnixMilli(s * segmentLength.Milliseconds()).UTC()
		b = fmt.Appendf(b, "#EXT-X-PROGRAM-DATE-TIME:%s\n#EXTINF:%.3f,\n%d.ts\n",
			at.Format("2006-01-02T15:04:05.000Z"), segmentLength.Seconds(), s)
	}
	return b
}

// master is the playlist that leads to the media playlist, for the players
// that choose by bandwidth.
const master = `#EXTM3U
#EXT-X-VERSION:6
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=110000,AVERAGE-BANDWIDTH=95000,CODECS="avc1.42c01e,mp4a.40.2",RESOLUTION=320x180,FRAME-RATE=25.000
live.m3u8
`

// What the channel is called, and who publishes it: the local stack.
const (
	channelID   = "MiramundoTest.br"
	channelName = "Miramundo Test Card"
	origin      = "local"
)

// Dataset describes the channel and the station as a source would, with the
// origin at base, such as "http://127.0.0.1:8791".
func Dataset(base string) *source.Dataset {
	return &source.Dataset{
		Channels: []source.Channel{{
			ID:         channelID,
			Origin:     origin,
			Name:       channelName,
			AltNames:   []string{"Mira de teste"},
			Network:    "Miramundo",
			Country:    "BR",
			Categories: []string{"general"},
			Launched:   "2026-11-21",
		}},
		Feeds: []source.Feed{{
			Channel: channelID, ID: "SD", Name: "SD", Main: true,
			BroadcastArea: []string{"c/BR"}, Timezones: []string{"America/Sao_Paulo"}, Languages: []string{"por"}, Format: "180p",
		}},
		Logos: []source.Logo{{Channel: channelID, InUse: true, Width: cardSize, Height: cardSize, Format: "PNG", URL: base + logoPath}},
		Streams: []source.Stream{{
			Channel: channelID, Origin: origin, Feed: "SD", Title: channelName, URL: base + MasterPath, Quality: "180p",
		}},
		Stations: []source.Station{{
			UUID:          "5f0e7a52-6b1d-4c0a-9d0e-6d6972616d75",
			Origin:        origin,
			Name:          "Miramundo Test Tone",
			URL:           base + StationPath,
			URLResolved:   base + StationPath,
			Tags:          []string{"test"},
			CountryCode:   "BR",
			Languages:     []string{"portuguese"},
			LanguageCodes: []string{"pt"},
			Codec:         "MP3",
			Bitrate:       64,
			Favicon:       base + stationLogoPath,
			LastCheckOK:   true,
		}},
	}
}
