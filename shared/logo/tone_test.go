package logo

import "testing"

func TestToneOf(t *testing.T) {
	const hash = "0123456789abcde-"
	for _, tt := range []struct {
		id, colour string
		want       Tone
	}{
		{hash, "", ""},
		{hash + "--l", "", OnLight},
		{hash + "--d", "", OnDark},
		{hash + "--a", "", OnAny},
		{hash + "--1f5f92", "#1f5f92", "1f5f92"},
		{"https://example.org/logos/" + hash + "--d", "", OnDark},
		{"/logos/" + hash, "", ""},
		{hash + "--x", "", ""},
		{hash + "--", "", ""},
		{hash + "-d", "", ""},
		{hash + "--1F5F92", "", ""},
		{hash + "--1f5f9", "", ""},
		{hash + "--red;}*", "", ""},
		{"chosen--d", "", ""},
		{"", "", ""},
		{"/", "", ""},
	} {
		got := ToneOf(tt.id)
		if got != tt.want || got.Colour() != tt.colour {
			t.Errorf("ToneOf(%q) = %q with the colour %q, want %q with %q", tt.id, got, got.Colour(), tt.want, tt.colour)
		}
	}
}
