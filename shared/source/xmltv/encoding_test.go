package xmltv

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// titles in the letters that encodings have.
const (
	latin    = "Televisão à noite"
	euro     = "São 5 €"
	cyrillic = "Новости"
	chinese  = "新闻联播"
	kana     = "ニュース"
)

var (
	littleMark = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	little     = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	bigMark    = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	big        = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

// encodings are files that are written in one way and say another, or none.
var encodings = []struct {
	says  string
	enc   encoding.Encoding
	title string
}{
	{"", encoding.Nop, latin + chinese},
	{"UTF-8", encoding.Nop, latin + chinese},
	{"utf8", encoding.Nop, latin + chinese},
	{"utf-8", unicode.UTF8BOM, latin + chinese},
	{"iso-8859-1", unicode.UTF8BOM, latin + chinese},
	{"utf-16", encoding.Nop, latin + chinese},
	{"us-ascii", encoding.Nop, latin + chinese},
	{"utf-16", littleMark, latin + chinese + "😀"},
	{"utf-16", bigMark, latin + chinese + "😀"},
	{"", littleMark, latin},
	{"", bigMark, latin},
	{"utf-16le", little, latin + chinese},
	{"UTF-16BE", big, latin + chinese},
	{"utf-8", little, latin},
	{"ISO-8859-1", charmap.ISO8859_1, latin},
	{"iso-8859-1", charmap.Windows1252, euro},
	{"latin1", charmap.Windows1252, latin},
	{"ISO-8859-15", charmap.ISO8859_15, euro},
	{"windows-1252", charmap.Windows1252, euro},
	{"Windows-1251", charmap.Windows1251, cyrillic},
	{"koi8-r", charmap.KOI8R, cyrillic},
	{"ISO-8859-5", charmap.ISO8859_5, cyrillic},
	{"IBM850", charmap.CodePage850, latin},
	{"gb2312", simplifiedchinese.GBK, chinese},
	{"GB18030", simplifiedchinese.GB18030, chinese + latin},
	{"Shift_JIS", japanese.ShiftJIS, kana},
	{"utf-8", charmap.Windows1252, latin},
	{"", charmap.Windows1252, euro},
}

// encoded returns a guide that says an encoding and is in another.
func encoded(t testing.TB, says string, enc encoding.Encoding, title string) []byte {
	t.Helper()
	head := `<?xml version="1.0"?>`
	if says != "" {
		head = `<?xml version='1.0' encoding = '` + says + `' standalone="yes"?>`
	}
	data, err := enc.NewEncoder().Bytes([]byte(head + `<tv><channel id="` + title + `"/>` + newsTag + `<title>` + title + `</title></programme></tv>`))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEncodings(t *testing.T) {
	for _, tc := range encodings {
		data := encoded(t, tc.says, tc.enc, tc.title)
		for name, packed := range map[string][]byte{"plain": data, "gzip": gzipped(t, data)} {
			g, err := readAll(bytes.NewReader(packed), Options{})
			if err != nil || len(g.Programmes) != 1 || len(g.Channels) != 1 {
				t.Errorf("%s: %v says %q: %v", name, tc.enc, tc.says, err)
				continue
			}
			if diff := cmp.Diff([]string{tc.title, tc.title}, []string{g.Programmes[0].Title, g.Channels[0].ID}); diff != "" {
				t.Errorf("%s: %v says %q: -want +got:\n%s", name, tc.enc, tc.says, diff)
			}
		}
	}
}

func TestNoEncodings(t *testing.T) {
	for _, says := range []string{"klingon", "utf-7", "utf-32", "iso-2022-kr", "x\xff"} {
		_, err := readText(`<?xml version="1.0" encoding="` + says + `"?><tv/>`)
		if !errors.Is(err, ErrEncoding) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// TestPrefixesEncoded reads every beginning of a guide in units of two bytes.
func TestPrefixesEncoded(t *testing.T) {
	for _, enc := range []encoding.Encoding{littleMark, big, charmap.ISO8859_1} {
		data := encoded(t, "iso-8859-1", enc, latin)
		for n := range len(data) {
			if _, err := readAll(bytes.NewReader(data[:n]), Options{}); err == nil {
				t.Errorf("%v: the first %d bytes of %d are taken for a guide", enc, n, len(data))
			}
		}
	}
}
