package ticket

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// A key signs and verifies. Its makers are kept for the next ticket, since the
// state of a keyed hash costs as much as hashing a short URL.
type key struct {
	id     byte // six bits that tell the current key from the previous one
	makers sync.Pool
}

func newKey(secret string) *key {
	k := &key{}
	name := hmac.New(sha256.New, []byte(secret))
	name.Write([]byte("key"))
	k.id = name.Sum(nil)[0] & keyBits
	k.makers.New = func() any {
		return &maker{key: k, hash: hmac.New(sha256.New, []byte(secret))}
	}
	return k
}

// A maker is what one ticket is made with.
type maker struct {
	key   *key
	hash  hash.Hash // keyed
	bound []byte    // what the MAC is over besides the body
	body  []byte
	text  []byte
	mac   [sha256.Size]byte
}

func (k *key) borrow() *maker {
	m := k.makers.Get().(*maker)
	m.body = m.body[:0]
	return m
}

func (m *maker) giveBack() { m.key.makers.Put(m) }

// bind sets what the ticket is for.
func (m *maker) bind(b Binding) {
	m.bound = binary.BigEndian.AppendUint64(m.bound[:0], uint64(b.Stream))
	m.bound = binary.BigEndian.AppendUint32(m.bound, uint32(len(b.Origin)))
	m.bound = append(m.bound, 0, 0, 0, 0) // the length of the body
	m.bound = append(m.bound, b.Origin...)
}

// bodyLength is where bind leaves room for the length of the body.
const bodyLength = 12

// sum returns the MAC of the body. It is valid until the maker is given back.
func (m *maker) sum() []byte {
	binary.BigEndian.PutUint32(m.bound[bodyLength:], uint32(len(m.body)))
	m.hash.Reset()
	m.hash.Write(m.bound)
	m.hash.Write(m.body)
	return m.hash.Sum(m.mac[:0])[:macLength]
}

// verify reports whether mac is that of the body, in a time that does not tell
// how far it is right.
func (m *maker) verify(mac []byte) bool { return hmac.Equal(m.sum(), mac) }
