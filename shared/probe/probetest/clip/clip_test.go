package clip

import (
	"slices"
	"testing"

	"miramundo.dev/shared/probe/media"
)

// TestClips checks that the clips have the media that their names promise.
func TestClips(t *testing.T) {
	c, err := Cut()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		data      []byte
		container string
		height    int
		tracks    int
	}{
		"high":  {c.High, "ts", High, 2},
		"low":   {c.Low, "ts", Low, 2},
		"part":  {append(slices.Clone(c.Init), c.Part...), "fmp4", High, 2},
		"film":  {c.Film, "flv", High, 2},
		"radio": {c.Radio, "adts", 0, 1},
		"song":  {c.Song, "mp3", 0, 1},
		"noise": {c.Noise, "ts", 0, 0},
	} {
		if f := media.Read(tc.data); f.Container != tc.container || f.Height != tc.height || len(f.Codecs) != tc.tracks {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if len(c.Bomb) > 1<<20 {
		t.Errorf("the bomb takes %d bytes", len(c.Bomb))
	}
}
