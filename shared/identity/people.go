package identity

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"sync/atomic"
)

// An ID names a person or a network for one day. Without the key nobody can
// tell whom it names, nor join the IDs of two days.
type ID [16]byte

// String returns the ID in 32 hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// People names persons and networks by a secret key. Processes with the same
// key give the same names. Its methods may be called concurrently.
type People struct {
	key  []byte
	salt atomic.Pointer[daily] // of the day last asked for
}

// A daily is the key of a day's names, which is made of the secret.
type daily struct {
	day Day
	key [sha256.Size]byte
}

// NewPeople returns the names under key. Without a key it takes a random one:
// the names then end with the process.
func NewPeople(key string) *People {
	if key == "" {
		key = rand.Text()
	}
	return &People{key: []byte(key)}
}

// Person names the person behind c on day d: by the guest token when one was
// sent, or else by network and User-Agent.
func (p *People) Person(c Caller, d Day) ID {
	return p.name("person", d, c.appendPerson(nil))
}

// Network names the network of c on day d.
func (p *People) Network(c Caller, d Day) ID {
	return p.name("network", d, c.appendNetwork(nil))
}

func (p *People) name(kind string, d Day, who []byte) (id ID) {
	mac := hmac.New(sha256.New, p.dayKey(d))
	mac.Write([]byte(kind + "\x00"))
	mac.Write(who)
	copy(id[:], mac.Sum(nil))
	return id
}

func (p *People) dayKey(d Day) []byte {
	if s := p.salt.Load(); s != nil && s.day == d {
		return s.key[:]
	}
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte("day\x00"))
	mac.Write(binary.BigEndian.AppendUint32(nil, uint32(d)))
	s := &daily{day: d}
	mac.Sum(s.key[:0])
	p.salt.Store(s)
	return s.key[:]
}

// maxAgent is how many bytes of a User-Agent tell persons apart.
const maxAgent = 256

// appendPerson appends what tells the person behind c from others.
func (c Caller) appendPerson(b []byte) []byte {
	if c.Guest != "" {
		return append(append(b, 'g'), c.Guest...)
	}
	b = c.appendNetwork(append(b, 'n'))
	return append(b, c.UserAgent[:min(len(c.UserAgent), maxAgent)]...)
}

// appendNetwork appends the network of c, in 18 bytes.
func (c Caller) appendNetwork(b []byte) []byte {
	p := Network(c.Addr)
	if !p.IsValid() {
		return append(b, make([]byte, 18)...)
	}
	a := p.Addr().As16()
	return append(append(b, 1, byte(p.Addr().BitLen())), a[:]...)
}

// Marks are short names for tables in memory: quick to make, and without a
// meaning in another process. Two of a million have the same mark with a
// probability of less than one in ten million.
type Marks struct{ seed maphash.Seed }

// NewMarks returns marks that no caller can foresee.
func NewMarks() Marks { return Marks{maphash.MakeSeed()} }

// Person marks what the person behind c does on day d.
func (m Marks) Person(c Caller, d Day, what string) uint64 {
	var space [512]byte // so that it stays on the stack
	b := binary.BigEndian.AppendUint32(space[:0], uint32(d))
	b = append(append(b, what...), 0)
	return maphash.Bytes(m.seed, c.appendPerson(b))
}

// Network marks the network of c on day d.
func (m Marks) Network(c Caller, d Day) uint64 {
	var space [32]byte
	b := binary.BigEndian.AppendUint32(space[:0], uint32(d))
	return maphash.Bytes(m.seed, c.appendNetwork(b))
}
