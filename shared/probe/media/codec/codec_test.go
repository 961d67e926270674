package codec

import "testing"

// TestNames holds names to examples of the standards that define them.
func TestNames(t *testing.T) {
	for _, test := range []struct{ name, got, want string }{
		{"H.264", AVCC([]byte("\x01\x64\x00\x1f\xff\xe0\x00\x00")).Codec, "avc1.64001f"},
		{"H.264 of nothing", AVCC(nil).Codec, "avc1"},
		{"H.265 main", hevcName([]byte("\x01\x60\x00\x00\x00\xb0\x00\x00\x00\x00\x00\x5d")), "hvc1.1.6.L93.B0"},
		{"H.265 of a space and tier", hevcName([]byte("\x64\x10\x00\x00\x00\xb0\x23\x00\x00\x00\x00\x78")), "hvc1.A4.8.H120.B0.23"},
		{"H.265 of nothing", HVCC([]byte{1, 1}).Codec, "hvc1"},
		{"AV1 of 10 bits", AV1C([]byte{0x81, 0x04, 0x4c, 0}).Codec, "av01.0.04M.10"},
		{"AV1 of 12 bits", AV1C([]byte{0x81, 0x4f, 0xec, 0}).Codec, "av01.2.15H.12"},
		{"AV1 of nothing", AV1C(nil).Codec, "av01"},
		{"VP9", VPCC([]byte{1, 0, 0, 0, 2, 10, 0xa2, 2}).Codec, "vp09.02.10.10"},
		{"VP9 of nothing", VPCC([]byte{1, 0}).Codec, "vp9"},
		{"AAC", AudioConfig([]byte{0x12, 0x10}), "mp4a.40.2"},
		{"AAC with spectral replication", AudioConfig([]byte{0x2b, 0x92}), "mp4a.40.5"},
		{"AAC with parametric stereo", AudioConfig([]byte{0xeb, 0x92}), "mp4a.40.29"},
		{"the extended object type of USAC", AudioConfig([]byte{0xf9, 0x46}), "mp4a.40.42"},
		{"MP3 as an object type", AudioConfig([]byte{0xf8, 0x40}), "mp3"},
		{"no configuration", AudioConfig(nil), "mp4a.40.2"},
		{"a descriptor of MPEG-2 AAC", esdsName(append([]byte{0, 0, 0, 0, 3, 0x80, 0x80, 0x80, 20, 0, 1, 0, 4, 15, 0x67, 0x15}, make([]byte, 13)...), ""), "mp4a.67"},
		{"a descriptor with all options", esdsName(append([]byte{0, 0, 0, 0, 3, 30, 0, 1, 0xe0, 0, 0, 2, 'x', 'y', 0, 0, 4, 15, 0x6b, 0x15}, make([]byte, 13)...), ""), "mp3"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.name, test.got, test.want)
		}
	}
}
