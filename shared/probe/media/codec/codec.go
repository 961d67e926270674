// Package codec parses the headers of codecs and names them as RFC 6381 does.
package codec

// A Track is one stream of video or audio.
type Track struct {
	Codec         string // as in RFC 6381: "avc1.64001f"; empty for other tracks
	Video         bool   // it has pictures
	Width, Height int    // of the picture as it is shown, in pixels; 0 when not known
	Encrypted     bool   // it is encrypted
}

// Names of codecs that have no profile, or whose profile is not told.
const (
	MP3    = "mp3"
	MP2    = "mp4a.40.33" // MPEG audio, layer 2
	AC3    = "ac-3"
	EAC3   = "ec-3"
	Opus   = "opus"
	Vorbis = "vorbis"
	FLAC   = "flac"
	AAC    = "mp4a.40.2" // the plain one
	AVC    = "avc1"
	HEVC   = "hvc1"
	VVC    = "vvc1"
	MPEG1  = "mp4v.6A"
	MPEG2  = "mp4v.61" // of the main profile
	MPEG4  = "mp4v.20"
	VP8    = "vp8"
	VP9    = "vp9"
	AV1    = "av01"
)

// A Configuration says how a container describes a codec.
type Configuration struct {
	Codec string             // when the record tells no more; empty for one that is not known
	Video bool               // it is one of pictures
	Box   string             // of ISO base media files that holds the record; empty for none
	Read  func([]byte) Track // reads the record; nil when there is none that tells more
}

// Track parses the codec's record, or returns what is known without it.
func (c Configuration) Track(record []byte) Track {
	if c.Read == nil || len(record) == 0 {
		return Track{Codec: c.Codec, Video: c.Video}
	}
	return c.Read(record)
}

// Letters returns the codec with a four-character code, in ISO base media
// files and similar containers. Its Codec is empty when the code is unknown.
func Letters(four string) Configuration { return letters[four] }

// letters are the known four-character codes.
var letters = map[string]Configuration{
	"avc1": {AVC, true, "avcC", AVCC}, "avc2": {AVC, true, "avcC", AVCC},
	"avc3": {AVC, true, "avcC", AVCC}, "avc4": {AVC, true, "avcC", AVCC},
	"hvc1": {HEVC, true, "hvcC", HVCC}, "hev1": {HEVC, true, "hvcC", HVCC},
	"dvh1": {HEVC, true, "hvcC", HVCC}, "dvhe": {HEVC, true, "hvcC", HVCC},
	"av01": {AV1, true, "av1C", AV1C},
	"vp08": {VP8, true, "", nil},
	"vp09": {VP9, true, "vpcC", VPCC},
	"vvc1": {VVC, true, "", nil}, "vvi1": {VVC, true, "", nil},
	"mp4v": {MPEG4, true, "esds", esdsVideo},
	"mp4a": {AAC, false, "esds", esdsAudio},
	".mp3": {MP3, false, "", nil},
	"ac-3": {AC3, false, "", nil}, "ec-3": {EAC3, false, "", nil},
	"ac-4": {"ac-4", false, "", nil},
	"Opus": {Opus, false, "", nil},
	"fLaC": {FLAC, false, "", nil},
	"alac": {"alac", false, "", nil},
	"dtsc": {"dtsc", false, "", nil}, "dtse": {"dtse", false, "", nil}, "dtsx": {"dtsx", false, "", nil},
}
