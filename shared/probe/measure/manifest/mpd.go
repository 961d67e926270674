package manifest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An MPD is what a player needs of a DASH manifest. Attributes of a level
// apply to the levels below it unless those override them.
type MPD struct {
	Type    string   `xml:"type,attr"`
	Began   string   `xml:"availabilityStartTime,attr"`
	Lasts   string   `xml:"mediaPresentationDuration,attr"`
	Base    []string `xml:"BaseURL"`
	Periods []period `xml:"Period"`
}

type period struct {
	Start string   `xml:"start,attr"`
	Base  []string `xml:"BaseURL"`
	Sets  []set    `xml:"AdaptationSet"`
	addressing
}

type set struct {
	ContentType string   `xml:"contentType,attr"`
	Base        []string `xml:"BaseURL"`
	Locks       []string `xml:"ContentProtection"`
	Choices     []choice `xml:"Representation"`
	coding
	addressing
}

// A choice is a Representation.
type choice struct {
	ID        string   `xml:"id,attr"`
	Bandwidth number   `xml:"bandwidth,attr"`
	Base      []string `xml:"BaseURL"`
	Locks     []string `xml:"ContentProtection"`
	coding
	addressing
}

type coding struct {
	MimeType string `xml:"mimeType,attr"`
	Codecs   string `xml:"codecs,attr"`
	Height   number `xml:"height,attr"`
}

// An addressing describes the segments in one of three ways.
type addressing struct {
	Template *template `xml:"SegmentTemplate"`
	List     *listing  `xml:"SegmentList"`
	Single   *indexed  `xml:"SegmentBase"`
}

type template struct {
	Init      string    `xml:"initialization,attr"`
	Media     string    `xml:"media,attr"`
	Timescale number    `xml:"timescale,attr"`
	Duration  number    `xml:"duration,attr"`
	Start     *number   `xml:"startNumber,attr"`
	Timeline  *timeline `xml:"SegmentTimeline"`
}

type timeline struct {
	S []struct {
		T *number `xml:"t,attr"`
		D number  `xml:"d,attr"`
		R number  `xml:"r,attr"`
	} `xml:"S"`
}

type listing struct {
	Timescale number    `xml:"timescale,attr"`
	Duration  number    `xml:"duration,attr"`
	Init      *place    `xml:"Initialization"`
	Segments  []locator `xml:"SegmentURL"`
}

type indexed struct {
	Index string `xml:"indexRange,attr"`
	Init  *place `xml:"Initialization"`
}

type place struct {
	URL   string `xml:"sourceURL,attr"`
	Range string `xml:"range,attr"`
}

type locator struct {
	Media string `xml:"media,attr"`
	Range string `xml:"mediaRange,attr"`
}

// A number is an integer attribute; it is 0 when it is malformed.
type number int64

// maxNumber bounds numbers so that products of two do not overflow unnoticed.
const maxNumber = 1 << 53

// UnmarshalXMLAttr never fails.
func (n *number) UnmarshalXMLAttr(attr xml.Attr) error {
	v, err := strconv.ParseInt(strings.TrimSpace(attr.Value), 10, 64)
	if err == nil && v > -maxNumber && v < maxNumber {
		*n = number(v)
	}
	return nil
}

var errNotMPD = errors.New("no MPD")

// ReadMPD parses a manifest. Malformed numbers do not make it fail, since
// players take what they need.
func ReadMPD(data []byte) (*MPD, error) {
	var m struct {
		XMLName xml.Name
		MPD
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // addresses are ASCII
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	if m.XMLName.Local != "MPD" {
		return nil, errNotMPD
	}
	return &m.MPD, nil
}

// durations matches the ISO 8601 durations that manifests use.
var durations = regexp.MustCompile(`^P(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9}(?:\.\d+)?)S)?)?$`)

// seconds parses a duration; it returns 0 for an invalid one.
func seconds(s string) time.Duration {
	m := durations.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0
	}
	var total float64
	for i, unit := range []float64{24 * 3600, 3600, 60, 1} {
		n, _ := strconv.ParseFloat(m[i+1], 64) // what is missing is 0
		total += n * unit
	}
	return time.Duration(total * float64(time.Second))
}
