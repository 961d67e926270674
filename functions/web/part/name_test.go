package part

import (
	"testing"
	"unicode/utf8"
)

// TestCalled checks names as registers write them: what is technical goes, and what
// people say stays.
func TestCalled(t *testing.T) {
	for name, want := range map[string]string{
		// Codecs and bit rates in brackets.
		"Rádio Beira-Mar [aac]":           "Rádio Beira-Mar",
		"Rádio Beira-Mar (MP3)":           "Rádio Beira-Mar",
		"Harbour FM (128k MP3)":           "Harbour FM",
		"Harbour FM [64 kbps AAC]":        "Harbour FM",
		"Harbour FM (MP3 | 192 kbps)":     "Harbour FM",
		"Harbour FM {ogg}":                "Harbour FM",
		"Nordlicht Radio (56 kbit/s)":     "Nordlicht Radio",
		"Nordlicht Radio (AAC+)":          "Nordlicht Radio",
		"Nordlicht Radio (he-aac 48)":     "Nordlicht Radio",
		"Nordlicht Radio (HQ MP3 stereo)": "Nordlicht Radio",
		"Nordlicht Radio (mp3 stream)":    "Nordlicht Radio",
		"Nordlicht Radio (AAC-link)":      "Nordlicht Radio",
		"Radio Lavande (320)":             "Radio Lavande",
		"Radio Lavande [HLS]":             "Radio Lavande",
		"Radio Lavande (https)":           "Radio Lavande",
		"Radio Lavande (flac) [hq]":       "Radio Lavande",
		"Radio Lavande - Jazz (256k)":     "Radio Lavande - Jazz",
		"Radio Lavande () ":               "Radio Lavande",
		// Codecs and bit rates without brackets.
		"Blue Fjord Main Mix 320k AAC": "Blue Fjord Main Mix",
		"Blue Fjord HD Opus":           "Blue Fjord HD",
		"Blue Fjord | MP3 128k":        "Blue Fjord",
		"Blue Fjord - 128 kbps":        "Blue Fjord",
		"Blue Fjord – AAC 96kbps":      "Blue Fjord",
		"Blue Fjord AAC 128":           "Blue Fjord",
		"Blue Fjord 64kb/s":            "Blue Fjord",
		"Blue Fjord mp3 stream":        "Blue Fjord",
		"Blue Fjord (Studio 2) AAC":    "Blue Fjord (Studio 2)",
		"Blue Fjord #HQ# FLAC":         "Blue Fjord #HQ#",
		// Call signs.
		"Maré Alta São Luís, MA (ZYK123 98,5 MHz FM) [aac]": "Maré Alta São Luís, MA",
		"Maré Alta (ZYD812)":           "Maré Alta",
		"Maré Alta - 98.5 FM - ZYD812": "Maré Alta - 98.5 FM",
		"Onda Sur, señal nacional (HJN42, 96.3 MHz, Villa Alta / HJQ43)": "Onda Sur, señal nacional",
		"Onda Sur (HJZY 100.9 FM, Bogotá) [AAC]":                         "Onda Sur",
		"Onda Sur (XHABC 94.5)":                                          "Onda Sur",
		"Onda Sur (LRL202)":                                              "Onda Sur",
		"Onda Sur (CX30 AM)":                                             "Onda Sur",
		"Onda Sur (ZYD 463, 103,7 MHz FM)":                               "Onda Sur",
		"Onda Sur - 98.7 FM - XHABC-FM - Grupo Sur - Villa Alta, VA":     "Onda Sur - 98.7 FM",
		"Onda Sur - XEABC-AM":                                            "Onda Sur",
		"Onda Sur - XHABC - Grupo Sur":                                   "Onda Sur - XHABC - Grupo Sur",
		// Nothing is dropped.
		"Onda Sur 94.5":             "Onda Sur 94.5",
		"Onda Sur (94.5 FM)":        "Onda Sur (94.5 FM)",
		"Onda Sur (AM 790)":         "Onda Sur (AM 790)",
		"Onda Sur (Bogotá)":         "Onda Sur (Bogotá)",
		"Onda Sur 2 (2)":            "Onda Sur 2 (2)",
		"Prairie Jazz (KZZQ)":       "Prairie Jazz (KZZQ)",
		"Prairie Jazz (WZZQ-FM)":    "Prairie Jazz (WZZQ-FM)",
		"Power 96":                  "Power 96",
		"Kanal 128":                 "Kanal 128",
		"Onda Sur:":                 "Onda Sur:",
		"Onda Sur -":                "Onda Sur -",
		"M80":                       "M80",
		"BR24":                      "BR24",
		"Classic Vault (60s & 70s)": "Classic Vault (60s & 70s)",
		"Radio 24k Gold":            "Radio 24k Gold",
		"The MP3 Show":              "The MP3 Show",
		"Opus":                      "Opus",
		"MP3":                       "MP3",
		"128k":                      "128k",
		"[aac]":                     "[aac]",
		"Hit Stream":                "Hit Stream",
		"(((":                       "(((",
		"Вести Волги (AAC)":         "Вести Волги",
		"ラジオ海 [MP3]":                "ラジオ海",
		"إذاعة البحر (128k)":        "إذاعة البحر",
		"Radio Ñandú (HD)":          "Radio Ñandú (HD)",
		"Canal Once":                "Canal Once",
		"":                          "",
		"  ":                        "  ",
	} {
		if got := Called(name); got != want {
			t.Errorf("Called(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzCalled(f *testing.F) {
	f.Add("Harbour FM (128k MP3)")
	f.Add("\xff (aac) [")
	f.Add("ZY (ZYK123")
	f.Fuzz(func(t *testing.T, name string) {
		got := Called(name)
		if name != "" && got == "" {
			t.Errorf("Called(%q) is empty", name)
		}
		if len(got) > len(name) || utf8.ValidString(name) && !utf8.ValidString(got) {
			t.Errorf("Called(%q) = %q", name, got)
		}
		if again := Called(got); again != got {
			t.Errorf("Called(%q) = %q, and of that %q", name, got, again)
		}
	})
}

func BenchmarkCalled(b *testing.B) {
	for _, name := range []string{"Canal Once", "Maré Alta São Luís, MA (ZYK123 98,5 MHz FM) [aac]"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Called(name)
			}
		})
	}
}
