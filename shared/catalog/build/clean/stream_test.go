package clean

import "testing"

func TestStreamKey(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"http://s.example/live", "https://s.example/live", true},
		{"http://S.example:80/live", "https://s.example:443/live", true},
		{"http://s.example/live", "http://s.example/live/", true},
		{"http://s.example:8000/", "http://s.example:8000", true},
		{"http://s.example:8000/;", "http://s.example:8000/;stream.mp3", true},
		{"http://s.example:8000/;?type=http&nocache=13", "http://s.example:8000/", true},
		{"http://s.example:8000/stream", "http://s.example:8000/;", true},
		{"http://s.example:8000/stream/1/", "http://s.example:8000/;", true},
		{"http://s.example/a.mp3", "http://s.example/a.mp3?1714719388872", true},
		{"http://s.example/a.mp3", "http://s.example/a.mp3?aggregator=tunein&aw_0_1st.playerid=x", true},
		{"http://s.example/a.mp3", "http://s.example/a.mp3?rj-ttl=5&rj-tok=AAAB", true},
		{"http://s.example/p?mp=%2Fstream", "http://s.example/p?mp=/stream;", true},
		{"http://s.example/live", "http://s.example/live2", false},
		{"http://s.example/live", "http://s.example/LIVE", false}, // paths have cases
		{"http://s.example:8000/live", "http://s.example:8002/live", false},
		{"http://s.example/stream", "http://s.example/", false}, // no Shoutcast server has port 80
		{"http://s.example:8000/stream/1/", "http://s.example:8000/stream/2/", false},
		{"http://s.example/p?id=1", "http://s.example/p?id=2", false},
		{"http://s.example/p?mp=/a", "http://s.example/p", false},
		{"http://a.example/live", "http://b.example/live", false},
		{"not an address", "not an address", true},
		{"not an address", "nor this", false},
	} {
		if a, b := StreamKey(test.a), StreamKey(test.b); (a == b) != test.same {
			t.Errorf("StreamKey(%q) = %q, StreamKey(%q) = %q, want equal: %t", test.a, a, test.b, b, test.same)
		}
	}
}
