package playlist

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestInfo checks the info of the playlists of testdata.
func TestInfo(t *testing.T) {
	want := map[string]Info{
		"comment-above":          {Media: true, Target: 10 * time.Second, NextMSN: 1},
		"dates":                  {Media: true, Target: 6 * time.Second, NextMSN: 4},
		"delta":                  {Media: true, Target: 4 * time.Second, PartTarget: time.Second, CanBlock: true, CanSkip: true, NextMSN: 1007},
		"headless":               {Media: true, Target: 10 * time.Second, NextMSN: 1},
		"iframes":                {Media: true, Target: 10 * time.Second, NextMSN: 2, End: true, VOD: true},
		"latin1":                 {Media: true, Target: 10 * time.Second, NextMSN: 1},
		"low-latency":            {Media: true, Target: 4 * time.Second, PartTarget: 333340 * time.Microsecond, CanBlock: true, CanSkip: true, NextMSN: 268, NextPart: 2, References: 2},
		"mac":                    {Media: true, Target: 10 * time.Second, NextMSN: 2},
		"media":                  {Media: true, Target: 6 * time.Second, NextMSN: 2687, End: true, VOD: true, MediaHTTP: true},
		"multivariant":           {Multivariant: true, References: 8},
		"references":             {Media: true, Target: time.Second, NextMSN: 58, End: true, MediaHTTP: true},
		"variables-media":        {Media: true, Target: 6 * time.Second, NextMSN: 2},
		"variables-multivariant": {Multivariant: true, References: 3},
		"windows":                {Media: true, Target: 10 * time.Second, NextMSN: 2, End: true},
	}
	got := map[string]Info{}
	for name, text := range playlists(t) {
		_, info, err := Rewrite(nil, text, testOptions())
		if err != nil {
			t.Fatal(name, err)
		}
		got[name] = info
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestInfoFields(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		in   string
		want Info
	}{
		{"#EXT-X-TARGETDURATION:10.5", Info{Media: true, Target: 10500 * time.Millisecond}},
		{"#EXT-X-TARGETDURATION: 4 ", Info{Media: true, Target: 4 * s}},
		{"#EXT-X-TARGETDURATION:4\n#EXT-X-TARGETDURATION:9", Info{Media: true, Target: 4 * s}},
		{"#EXT-X-TARGETDURATION:-4", Info{Media: true}},
		{"#EXT-X-TARGETDURATION:x", Info{Media: true}},
		{"#EXT-X-TARGETDURATION", Info{Media: true}},
		{"#EXT-X-TARGETDURATION:1000001", Info{Media: true}},
		{"#EXT-X-TARGETDURATION:99999999999999999999999", Info{Media: true}},
		{"#EXT-X-TARGETDURATION:0.12345678901234567890", Info{Media: true, Target: 123456789}},
		{"#EXT-X-MEDIA-SEQUENCE:99999999999999999999999", Info{Media: true, NextMSN: maxNumber}},
		{"#EXT-X-MEDIA-SEQUENCE:9223372036854775807\n#EXTINF:6\na", Info{Media: true, NextMSN: maxNumber + 1}},
		{"#EXT-X-MEDIA-SEQUENCE:-7\n#EXTINF:6\na", Info{Media: true, NextMSN: 1}},
		{"#EXT-X-MEDIA-SEQUENCE:1700000000000000000\n#EXTINF:6\na", Info{Media: true, NextMSN: 1700000000000000001}},
		{"#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:6\na", Info{Media: true, NextMSN: 11}},
		{"#EXT-X-SKIP:SKIPPED-SEGMENTS=99999999999999999999\n#EXT-X-SKIP:SKIPPED-SEGMENTS=99999999999999999999\n#EXT-X-MEDIA-SEQUENCE:1", Info{Media: true, NextMSN: maxNumber}},
		{"#EXTINF:6\na\nb\n#EXTINF:6", Info{Media: true, NextMSN: 1}},
		{"#EXTINF:6\na\n#EXT-X-PART:URI=\"p\"\n#EXT-X-PART:URI=\"q\"\n#EXTINF:6\n#EXT-X-PART:URI=\"r\"", Info{Media: true, NextMSN: 1, NextPart: 3}},
		{"#EXT-X-PART:URI=\"p\"\n#EXTINF:6\na\n#EXT-X-PRELOAD-HINT:URI=\"r\"", Info{Media: true, NextMSN: 1}},
		{"#EXT-X-PLAYLIST-TYPE:EVENT", Info{Media: true}},
		{"#EXT-X-PLAYLIST-TYPE: VOD", Info{Media: true, VOD: true}},
		{"#EXT-X-KEY:URI=\"http://a.example/k\"\n#EXTINF:6\na", Info{Media: true, NextMSN: 1, MediaHTTP: true}},
		{"#EXT-X-MAP:URI=\"HTTP://a.example/k\"", Info{Media: true, MediaHTTP: true}},
		{"#EXT-X-PREFETCH:http://a.example/k", Info{Media: true, MediaHTTP: true}},
		{"#EXTINF:6\nhttps://a.example/?http://", Info{Media: true, NextMSN: 1}},
		{"#EXT-X-SESSION-DATA:URI=\"http://a.example/k\"\n#EXTINF:6\na", Info{Media: true, NextMSN: 1}},
	} {
		_, got, err := Rewrite(nil, []byte("#EXTM3U\n"+test.in), testOptions())
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.in, diff)
		}
	}
}

// TestServerControl checks that requests are held only for as long as the hop
// waits.
func TestServerControl(t *testing.T) {
	const (
		six    = "#EXT-X-TARGETDURATION:6\n"
		seven  = "#EXT-X-TARGETDURATION:7\n"
		parts  = "#EXT-X-PART-INF:PART-TARGET=2.5\n"
		longer = "#EXT-X-PART-INF:PART-TARGET=3\n"
		tag    = "#EXT-X-SERVER-CONTROL:"
	)
	for _, test := range []struct {
		name, in, want string
		max            time.Duration
		can            bool
	}{
		{"short segments", six + tag + "CAN-BLOCK-RELOAD=YES\n", six + tag + "CAN-BLOCK-RELOAD=YES\n", 8 * time.Second, true},
		{"long segments", seven + tag + "CAN-BLOCK-RELOAD=YES\n", seven, 8 * time.Second, false},
		{"long segments below", tag + "CAN-BLOCK-RELOAD=YES\n" + seven, seven, 8 * time.Second, false},
		{"long segments of short parts", seven + parts + tag + "CAN-BLOCK-RELOAD=YES\n", seven + parts + tag + "CAN-BLOCK-RELOAD=YES\n", 8 * time.Second, true},
		{"parts below", tag + "CAN-BLOCK-RELOAD=YES\n" + seven + parts, tag + "CAN-BLOCK-RELOAD=YES\n" + seven + parts, 8 * time.Second, true},
		{"parts indented below", tag + "CAN-BLOCK-RELOAD=YES\n" + seven + " " + parts, tag + "CAN-BLOCK-RELOAD=YES\n" + seven + parts, 8 * time.Second, true},
		{"parts in a comment", tag + "CAN-BLOCK-RELOAD=YES\n" + seven + "#" + parts, seven + "#" + parts, 8 * time.Second, false},
		{"long parts", seven + longer + tag + "CAN-BLOCK-RELOAD=YES\n", seven + longer, 8 * time.Second, false},
		{"never", six + parts + tag + "CAN-BLOCK-RELOAD=YES,HOLD-BACK=9\n", six + parts + tag + "HOLD-BACK=9\n", 0, false},
		{"no target", tag + "CAN-BLOCK-RELOAD=YES\n", "", 8 * time.Second, false},
		{"in the middle", seven + tag + "A=1,CAN-BLOCK-RELOAD=YES,B=2\n", seven + tag + "A=1,B=2\n", 8 * time.Second, false},
		{"last", seven + tag + "A=\"1,2\", CAN-BLOCK-RELOAD=YES\n", seven + tag + "A=\"1,2\"\n", 8 * time.Second, false},
		{"twice", seven + tag + "CAN-BLOCK-RELOAD=YES,A=1,CAN-BLOCK-RELOAD=YES\n" + tag + "CAN-BLOCK-RELOAD=YES\n", seven + tag + "A=1\n", 8 * time.Second, false},
		{"no", six + tag + "CAN-BLOCK-RELOAD=NO\n", six + tag + "CAN-BLOCK-RELOAD=NO\n", 8 * time.Second, false},
		{"at its end", six + tag + "CAN-BLOCK-RELOAD=YES\n#EXT-X-ENDLIST\n", six + tag + "CAN-BLOCK-RELOAD=YES\n#EXT-X-ENDLIST\n", 8 * time.Second, false},
		{"other lines' ends", strings.ReplaceAll(six+tag+"CAN-BLOCK-RELOAD=YES\n", "\n", "\r"), six + tag + "CAN-BLOCK-RELOAD=YES\n", 8 * time.Second, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := testOptions()
			o.MaxBlock = test.max
			got, info, err := Rewrite(nil, []byte("#EXTM3U\n"+test.in+"#EXTINF:6\nhttps://a.example/x"), o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("#EXTM3U\n"+test.want+"#EXTINF:6\nhttps://a.example/x\n", string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if info.CanBlock != test.can {
				t.Errorf("CanBlock is %t", info.CanBlock)
			}
		})
	}
}
