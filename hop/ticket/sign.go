package ticket

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"miramundo.dev/hop/playlist"
	"miramundo.dev/shared/keyring"
)

// A ticket is the base64url text, without padding, of
//
//	version and key  1 byte   two bits of version, six of the key's id
//	expiry           4 bytes  in Unix seconds, big endian
//	depth            1 byte   with the bit hasVars when there are variables
//	shared           2 bytes  leading bytes that the URL has in common with the origin's
//	variables        2 bytes of length, then for each the lengths and bytes of name and value
//	URL              the bytes that are not shared
//	MAC              16 bytes of HMAC-SHA256
//
// The MAC covers the stream, the lengths of origin and body, the origin and
// everything before the MAC. So stream and origin are bound, but not
// carried.
const (
	version    = 1 << 6
	keyBits    = version - 1
	headLength = 8
	macLength  = 16
	hasVars    = 1 << 7
	maxURL     = 4500  // bytes; the longest URL that package origin requests
	maxShared  = 65535 // bytes of the origin's URL that can be left out

	// shortest and longest bound a ticket in bytes, before it is encoded.
	shortest = headLength + macLength
	longest  = MaxLength * 6 / 8
)

// period is how long the same reference gives the same ticket. A ticket is
// valid for at least one period and at most two, since a player uses one URL
// for as long as it plays. Blocking a stream or changing its origin ends its
// tickets at once.
const period = 6 * time.Hour

var encoding = base64.RawURLEncoding.Strict()

// A Signer signs and opens tickets. Its methods may be called concurrently.
type Signer struct {
	keys []*key // the signing one first
	now  func() time.Time
}

// New returns a signer with the keys of ring. The first one signs, and every key
// opens the tickets that it signed. Without a key nothing is signed or opened.
// Tickets are signed with the secrets of the ring themselves, as they were before
// there were rings, so that players keep their addresses when a new build starts.
func New(ring *keyring.Ring, now func() time.Time) *Signer {
	s := &Signer{now: now}
	for _, secret := range ring.Secrets() {
		s.keys = append(s.keys, newKey(secret))
	}
	return s
}

// Until returns the time until which tickets signed now are valid. Tickets do
// not change while it stays the same.
func (s *Signer) Until() time.Time {
	seconds := int64(period / time.Second)
	return time.Unix((s.now().Unix()/seconds+2)*seconds, 0).UTC()
}

// Append appends the text of a ticket to dst. It fails with ErrKey when there
// is no key, with ErrLong when the text would be too long or the reference is
// too deep, and with playlist.ErrOrigin when the URL is not an http or https
// URL.
func (s *Signer) Append(dst []byte, b Binding, t Ticket) ([]byte, error) {
	if len(s.keys) == 0 {
		return dst, ErrKey
	}
	if err := check(t); err != nil {
		return dst, err
	}
	m := s.keys[0].codec()
	defer m.release()
	m.bind(b)
	if err := m.write(s.Until(), b, t); err != nil {
		return dst, err
	}
	m.body = append(m.body, m.sum()...)
	if encoding.EncodedLen(len(m.body)) > MaxLength {
		return dst, ErrLong.Because(fmt.Errorf("the ticket takes %d bytes", len(m.body)))
	}
	return encoding.AppendEncode(dst, m.body), nil
}

// check refuses tickets that must not be signed.
func check(t Ticket) error {
	switch {
	case t.Depth < 1 || t.Depth >= playlist.MaxDepth:
		return ErrLong.Because(fmt.Errorf("the reference is %d playlists deep", t.Depth))
	case len(t.URL) > maxURL:
		return ErrLong.Because(fmt.Errorf("the URL takes %d bytes", len(t.URL)))
	case !isWeb(t.URL):
		return playlist.ErrOrigin.Because(errors.New("the reference is neither http nor https"))
	}
	return nil
}

// isWeb reports whether s begins like an http or https URL.
func isWeb(s string) bool {
	scheme, rest, ok := strings.Cut(s, "://")
	return ok && rest != "" && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// write encodes a ticket up to its MAC.
func (m *codec) write(until time.Time, b Binding, t Ticket) error {
	shared := common(b.Origin, t.URL)
	depth := byte(t.Depth)
	if len(t.Vars) > 0 {
		depth |= hasVars
	}
	m.body = append(m.body, version|m.key.id)
	m.body = binary.BigEndian.AppendUint32(m.body, uint32(until.Unix()))
	m.body = append(m.body, depth)
	m.body = binary.BigEndian.AppendUint16(m.body, uint16(shared))
	if len(t.Vars) > 0 {
		if err := m.writeVars(t.Vars); err != nil {
			return err
		}
	}
	m.body = append(m.body, t.URL[shared:]...)
	return nil
}

func (m *codec) writeVars(vars []playlist.Var) error {
	at := len(m.body)
	m.body = append(m.body, 0, 0)
	for _, v := range vars {
		for _, s := range []string{v.Name, v.Value} {
			m.body = binary.AppendUvarint(m.body, uint64(len(s)))
			m.body = append(m.body, s...)
		}
		if len(m.body) > longest {
			return ErrLong.Because(errors.New("the variables take too many bytes"))
		}
	}
	binary.BigEndian.PutUint16(m.body[at:], uint16(len(m.body)-at-2))
	return nil
}

// common returns how many leading bytes two URLs share, at most maxShared.
func common(a, b string) int {
	n := min(len(a), len(b), maxShared)
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Open returns the ticket that text encodes if it was signed for b, and the
// time until which it is valid. It fails with ErrTicket for every other text,
// without a reason that could help a forger, and with ErrKey when there is no
// key.
func (s *Signer) Open(b Binding, text string) (Ticket, time.Time, error) {
	if len(s.keys) == 0 {
		return Ticket{}, time.Time{}, ErrKey
	}
	if len(text) > MaxLength || len(text) < encoding.EncodedLen(shortest) {
		return Ticket{}, time.Time{}, ErrTicket
	}
	head := firstByte(text)
	for _, k := range s.keys {
		if head != version|k.id {
			continue
		}
		if t, until, ok := k.open(b, text); ok && s.now().Before(until) {
			return t, until, nil
		}
	}
	return Ticket{}, time.Time{}, ErrTicket
}

// firstByte returns the byte that names the version and the key of a ticket, or 0
// when its text does not begin like one.
func firstByte(text string) byte {
	var head [3]byte
	if n, err := encoding.Decode(head[:], []byte(text[:4])); err != nil || n < len(head) {
		return 0
	}
	return head[0]
}

// open returns the ticket that k signed for b as text, expired or not.
func (k *key) open(b Binding, text string) (t Ticket, until time.Time, ok bool) {
	m := k.codec()
	defer m.release()
	m.text = append(m.text[:0], text...)
	m.bind(b)
	body, err := encoding.AppendDecode(m.body, m.text)
	// The decoder ignores line ends, even when it is strict.
	if err != nil || encoding.EncodedLen(len(body)) != len(text) {
		return t, until, false
	}
	end := len(body) - macLength
	m.body = body[:end]
	if !m.verify(body[end:]) {
		return t, until, false
	}
	until = time.Unix(int64(binary.BigEndian.Uint32(m.body[1:])), 0).UTC()
	t, ok = m.read(m.body[5:], b.Origin)
	return t, until, ok
}

// read decodes what write encoded after the expiry. The input is signed, but
// it is checked all the same, because another build may have signed other
// things with the key.
func (m *codec) read(body []byte, origin string) (Ticket, bool) {
	depth, shared := body[0], int(binary.BigEndian.Uint16(body[1:]))
	t := Ticket{Depth: int(depth &^ hasVars)}
	body = body[3:]
	if depth&hasVars != 0 {
		var ok bool
		if t.Vars, body, ok = readVars(body); !ok {
			return Ticket{}, false
		}
	}
	if shared > len(origin) {
		return Ticket{}, false
	}
	m.text = append(append(m.text[:0], origin[:shared]...), body...)
	t.URL = string(m.text)
	return t, check(t) == nil
}

// readVars returns the variables at the start of body, and what follows them.
func readVars(body []byte) (vars []playlist.Var, rest []byte, ok bool) {
	if len(body) < 2 {
		return nil, nil, false
	}
	size := int(binary.BigEndian.Uint16(body))
	body = body[2:]
	if size == 0 || size > len(body) {
		return nil, nil, false
	}
	from, rest := body[:size], body[size:]
	for len(from) > 0 {
		var name, value string
		if name, from, ok = readString(from); !ok {
			return nil, nil, false
		}
		if value, from, ok = readString(from); !ok {
			return nil, nil, false
		}
		vars = append(vars, playlist.Var{Name: name, Value: value})
	}
	return vars, rest, true
}

func readString(from []byte) (s string, rest []byte, ok bool) {
	n, width := binary.Uvarint(from)
	if width <= 0 || n > math.MaxUint16 || int(n) > len(from)-width {
		return "", nil, false
	}
	end := width + int(n)
	return string(from[width:end]), from[end:], true
}
