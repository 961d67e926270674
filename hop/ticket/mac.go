package ticket

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// A key signs and verifies. Its codecs are pooled, because keying a hash
// costs as much as hashing a short URL.
type key struct {
	id     byte // six bits that distinguish the keys of a ring; two keys may have the same
	codecs sync.Pool
}

func newKey(secret []byte) *key {
	k := &key{}
	name := hmac.New(sha256.New, secret)
	name.Write([]byte("key"))
	k.id = name.Sum(nil)[0] & keyBits
	k.codecs.New = func() any {
		return &codec{key: k, hash: hmac.New(sha256.New, secret)}
	}
	return k
}

// A codec holds the buffers and the keyed hash to encode or decode one
// ticket.
type codec struct {
	key   *key
	hash  hash.Hash // keyed
	bound []byte    // what the MAC covers besides the body
	body  []byte
	text  []byte
	mac   [sha256.Size]byte
}

// codec returns a codec of k. It must be released.
func (k *key) codec() *codec {
	m := k.codecs.Get().(*codec)
	m.body = m.body[:0]
	return m
}

// release returns the codec to its pool.
func (m *codec) release() { m.key.codecs.Put(m) }

// bind sets the binding that the MAC covers.
func (m *codec) bind(b Binding) {
	m.bound = binary.BigEndian.AppendUint64(m.bound[:0], uint64(b.Stream))
	m.bound = binary.BigEndian.AppendUint32(m.bound, uint32(len(b.Origin)))
	m.bound = append(m.bound, 0, 0, 0, 0) // the length of the body
	m.bound = append(m.bound, b.Origin...)
}

// bodyLength is the offset in bound of the length of the body.
const bodyLength = 12

// sum returns the MAC of the body. It is valid until the codec is released.
func (m *codec) sum() []byte {
	binary.BigEndian.PutUint32(m.bound[bodyLength:], uint32(len(m.body)))
	m.hash.Reset()
	m.hash.Write(m.bound)
	m.hash.Write(m.body)
	return m.hash.Sum(m.mac[:0])[:macLength]
}

// verify reports whether mac is the MAC of the body, in constant time.
func (m *codec) verify(mac []byte) bool { return hmac.Equal(m.sum(), mac) }
