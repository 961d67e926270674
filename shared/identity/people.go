package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"net/netip"
	"sync/atomic"
	"time"

	"miramundo.dev/shared/keyring"
)

// Counting persons needs a name for each of them that is the same for a day. The
// name is an HMAC of what distinguishes the person, with a key derived from a secret
// key and the day. So instances count the same person once without asking each
// other, and a stored name cannot be turned back into an address, which a plain hash
// of the few billion addresses could.
//
// The secret key is that of the ring which is in force on the day. A key that is
// named for the day on which it takes over replaces the one before at midnight UTC
// at every instance, and everybody is still counted once. When the first key of the
// ring is replaced in any other way, who was counted before and comes back on that
// day is counted twice.

// An ID names a person or a network for one day. Without the key it cannot be
// traced to an address, nor linked to the ID of another day.
type ID [16]byte

// String returns the ID in 32 hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// People names persons and networks by a ring of keys. Processes with the same ring
// give the same names. Its methods may be called concurrently.
type People struct {
	ring *keyring.Ring
	salt atomic.Pointer[daily] // cached key of the day that was used last
}

// A daily is the key of a day's names, derived from a key of the ring.
type daily struct {
	day Day
	key []byte
}

// NewPeople returns the names under the keys of ring. For a ring without keys it uses
// a random key: names are then valid within this process only.
func NewPeople(ring *keyring.Ring) *People {
	if ring.Check() != nil {
		ring = keyring.Random()
	}
	return &People{ring: ring}
}

// Person returns the ID of the person behind c on day d: from the guest when a token
// was sent, or else from the network and the User-Agent.
func (p *People) Person(c Caller, d Day) ID {
	return p.name("person", d, c.appendPerson(nil))
}

// Network returns the ID of the network of c on day d.
func (p *People) Network(c Caller, d Day) ID {
	return p.name("network", d, c.appendNetwork(nil))
}

// WiderNetwork returns the ID of the wider network of c on day d: see [WiderNetwork].
// All callers whose address is unknown have the same one.
func (p *People) WiderNetwork(c Caller, d Day) ID {
	return p.name("wider network", d, appendPrefix(nil, WiderNetwork(c.Addr)))
}

// WiderName returns the name of the wider network of an address at a time, to be stored
// with what the operator may have to undo; empty when the address is unknown. A nil People
// has no names.
func (p *People) WiderName(a netip.Addr, at time.Time) string {
	if p == nil || !WiderNetwork(a).IsValid() {
		return ""
	}
	return p.WiderNetwork(Caller{Addr: a}, DayOf(at)).String()
}

// NetworkNames returns names of the network of c that stay the same for as long as a key
// stays in the ring, for what a network buys: one under each key, the name to store first.
// A ring that keeps its keys, as that of guests does, keeps the names. It returns none
// when the address of c is unknown. No address can be computed from a name without the key.
func NetworkNames(ring *keyring.Ring, c Caller) (names []string) {
	if ring.Check() != nil || !Network(c.Addr).IsValid() {
		return nil
	}
	for _, mac := range ring.MACs("network pass", c.appendNetwork(nil)) {
		names = append(names, hex.EncodeToString(mac[:len(ID{})]))
	}
	return names
}

// name returns the ID of a subject, the bytes that distinguish it from others of its
// kind.
func (p *People) name(kind string, d Day, subject []byte) (id ID) {
	mac := hmac.New(sha256.New, p.dayKey(d))
	mac.Write([]byte(kind + "\x00"))
	mac.Write(subject)
	copy(id[:], mac.Sum(nil))
	return id
}

// dayKey returns the key of a day's names. It is cached, as nearly all calls are for
// the same day.
func (p *People) dayKey(d Day) []byte {
	if s := p.salt.Load(); s != nil && s.day == d {
		return s.key
	}
	purpose := binary.BigEndian.AppendUint32([]byte("day\x00"), uint32(d))
	s := &daily{day: d, key: p.ring.SecretOn(string(purpose), d.Start())}
	p.salt.Store(s)
	return s.key
}

// maxAgent is how many bytes of a User-Agent distinguish persons.
const maxAgent = 256

// appendPerson appends the bytes that distinguish the person behind c.
func (c Caller) appendPerson(b []byte) []byte {
	if c.Guest != "" {
		return append(append(b, 'g'), c.Guest...)
	}
	b = c.appendNetwork(append(b, 'n'))
	return append(b, c.UserAgent[:min(len(c.UserAgent), maxAgent)]...)
}

// appendNetwork appends the network of c in 18 bytes, which are zero when it is
// unknown.
func (c Caller) appendNetwork(b []byte) []byte { return appendPrefix(b, Network(c.Addr)) }

// appendPrefix appends p in 18 bytes, which are zero when p is not valid.
func appendPrefix(b []byte, p netip.Prefix) []byte {
	if !p.IsValid() {
		return append(b, make([]byte, 18)...)
	}
	a := p.Addr().As16()
	return append(append(b, 1, byte(p.Addr().BitLen())), a[:]...)
}

// Marks are short names for tables in memory: cheap to compute, and without a
// meaning in another process. Among a million persons, the probability that any two
// have the same mark is less than one in ten million.
type Marks struct{ seed maphash.Seed }

// NewMarks returns marks with a random seed, so that callers cannot choose inputs
// whose marks collide.
func NewMarks() Marks { return Marks{maphash.MakeSeed()} }

// Person returns the mark of an action of the person behind c on day d.
func (m Marks) Person(c Caller, d Day, action string) uint64 {
	var space [512]byte // keeps the buffer on the stack
	b := binary.BigEndian.AppendUint32(space[:0], uint32(d))
	b = append(append(b, action...), 0)
	return maphash.Bytes(m.seed, c.appendPerson(b))
}

// Network returns the mark of the network of c on day d.
func (m Marks) Network(c Caller, d Day) uint64 {
	var space [32]byte
	b := binary.BigEndian.AppendUint32(space[:0], uint32(d))
	return maphash.Bytes(m.seed, c.appendNetwork(b))
}
