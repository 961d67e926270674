package library

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// The token of a library's feeds is a secret in their addresses. It stands in two
// documents that one transaction writes together: the library itself, and a feed
// document under the token's hash, by which a reader finds the library. Replacing
// the token deletes the old feed document, so that the old addresses stop working
// when the write is done. A library that took over the feeds of another one has
// several tokens; its addresses show the first, and replacing it ends all of them.

// A feed is the document that leads from a token to its owner.
type feed struct {
	Owner identity.Owner `json:"owner"`
}

// Libraries is the collection of all libraries, by their owners.
const Libraries = store.Path("libraries")

// Path returns where the library of an owner is.
func Path(owner identity.Owner) store.Path { return Libraries.Join(string(owner)) }

// feedPath returns where the feed document of a token is. The path holds a hash in
// place of the token, because paths are logged and listed.
func feedPath(token string) store.Path {
	sum := sha256.Sum256([]byte(token))
	return store.Path("feeds").Join(hex.EncodeToString(sum[:]))
}

// Load returns the library of an owner, with one read. An owner without a stored
// library has an empty one, without a token and at revision 0.
func Load(ctx context.Context, db store.DB, owner identity.Owner) (*Library, error) {
	l := &Library{Owner: owner}
	if err := db.Get(ctx, Path(owner), l); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	return l, nil
}

// Open returns the library of an owner with a token for its feeds, with one read.
// It first stores a token for a library that has none, such as one that is not
// stored yet.
func Open(ctx context.Context, db store.DB, owner identity.Owner, now time.Time) (*Library, error) {
	l, err := Load(ctx, db, owner)
	if err != nil || l.Token != "" {
		return l, err
	}
	var found *Library
	l, err = Update(ctx, db, owner, now, func(l *Library) error {
		if l.Token != "" {
			found = l
			return errOpened
		}
		return nil
	})
	if errors.Is(err, errOpened) {
		return found, nil
	}
	return l, err
}

// errOpened means that another call has stored a token meanwhile.
var errOpened = errors.New("the library has a token already")

// tokenLen is the length of a feed token: 26 characters of base 32, which hold
// 130 bits.
const tokenLen = 26

func newToken() string { return strings.ToLower(rand.Text()) }

// A Version identifies the stored content of a library, within this process.
type Version uint64

// versions is the seed of versions.
var versions = maphash.MakeSeed()

// ByToken returns the library that a feed token opens, or ErrNoFeed. It reads two
// documents, and once more two when the token moved to another library meanwhile.
func ByToken(ctx context.Context, db store.DB, token string) (*Library, error) {
	return ByTokenUnless(ctx, db, token, func(Version) bool { return false })
}

// ByTokenUnless does what ByToken does. When known reports true for the version of the
// library, it returns neither a library nor an error: a full library takes far longer to
// decode than to read. known must report true only for a version with which this token has
// opened a library before.
func ByTokenUnless(ctx context.Context, db store.DB, token string, known func(Version) bool) (*Library, error) {
	if len(token) != tokenLen || strings.Trim(token, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return nil, ErrNoFeed
	}
	for range 2 {
		var f feed
		if err := db.Get(ctx, feedPath(token), &f); errors.Is(err, store.ErrNotFound) {
			return nil, ErrNoFeed
		} else if err != nil {
			return nil, err
		}
		l, err := LoadUnless(ctx, db, f.Owner, known)
		if err != nil || l == nil || l.opens(token) {
			return l, err
		}
	}
	return nil, ErrNoFeed // replaced since the feed document was read
}

// LoadUnless does what Load does, but returns nil when known reports true for the version
// of the library.
func LoadUnless(ctx context.Context, db store.DB, owner identity.Owner, known func(Version) bool) (*Library, error) {
	l := &Library{Owner: owner}
	docs, err := db.GetAll(ctx, []store.Path{Path(owner)})
	if err != nil {
		return nil, err
	}
	if docs[0].Decode == nil {
		return l, nil
	}
	var body json.RawMessage
	if err := docs[0].Decode(&body); err != nil {
		return nil, err
	}
	if known(Version(maphash.Bytes(versions, body))) {
		return nil, nil
	}
	return l, docs[0].Decode(l)
}

// Secrets returns where the tokens of l are, which are stored sealed: a copy of the
// database opens no feed.
func (l *Library) Secrets() []*string {
	all := []*string{&l.Token}
	for i := range l.Taken {
		all = append(all, &l.Taken[i])
	}
	return all
}

// tokens returns the tokens that open l. A token whose key was retired is "" and
// opens nothing.
func (l *Library) tokens() []string {
	all := append([]string{l.Token}, l.Taken...)
	return slices.DeleteFunc(all, func(token string) bool { return token == "" })
}

// opens reports whether a token opens l. It takes the same time for every token.
func (l *Library) opens(token string) bool {
	equal := 0
	for _, t := range l.tokens() {
		equal |= subtle.ConstantTimeCompare([]byte(t), []byte(token))
	}
	return equal == 1
}

// Update applies change to the library of an owner, stores the result and returns
// it. It reads one document and writes one; the first write and a new token write
// the feed documents too. When change fails, nothing is stored and its error is
// returned. change may be called several times, each time with the library as it
// is stored then.
func Update(ctx context.Context, db store.DB, owner identity.Owner, now time.Time, change func(*Library) error) (*Library, error) {
	var kept *Library
	err := db.Update(ctx, func(tx store.Tx) error {
		l := &Library{Owner: owner}
		if err := tx.Get(Path(owner), l); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		before := l.tokens()
		if err := change(l); err != nil {
			return err
		}
		if l.Token == "" {
			l.Token = newToken()
		}
		kept = l
		return write(tx, l, before, now)
	})
	if errors.Is(err, store.ErrTooLarge) {
		return nil, ErrItemLimit.Because(err)
	}
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// write stores l as of now. It creates the feed documents of new tokens, and deletes
// those of the tokens before that l does not have any more.
func write(tx store.Tx, l *Library, before []string, now time.Time) error {
	after := l.tokens()
	for _, token := range after {
		if slices.Contains(before, token) {
			continue
		}
		if err := tx.Create(feedPath(token), feed{l.Owner}); err != nil {
			return err
		}
	}
	for _, token := range before {
		if slices.Contains(after, token) {
			continue
		}
		if err := tx.Delete(feedPath(token)); err != nil {
			return err
		}
	}
	return set(tx, l, now)
}

// set stores l as its next revision.
func set(tx store.Tx, l *Library, now time.Time) error {
	l.Revision++
	l.UpdatedAt = store.At(now)
	return tx.Set(Path(l.Owner), l)
}

// RotateToken gives l a new feed token. The old one, and those of other libraries
// that l took over, open nothing once l is stored.
func (l *Library) RotateToken() { l.Token, l.Taken = newToken(), nil }
