// Package credit stores prepaid balances.
//
//	credits/{sha256(token)}                 a balance
//	credits/{sha256(token)}/entries/{n}     an Entry: what changed it, numbered from 1
//
// A balance belongs to the holder of its token, which is not stored: its hash names
// the document. Each change writes the balance and one entry in the same transaction,
// together with what was bought, so that the entries add up to the balance and the
// balance is never negative.
package credit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// ErrUnknown means that a credit token is malformed or was never sold.
var ErrUnknown = fault.New(fault.Unauthenticated, "invalid_credit")

// ErrInsufficient means that a balance is less than what was to be spent.
var ErrInsufficient = errors.New("credit: the balance is not sufficient")

// randomBytes is how many random bytes a token has: 200 bits.
const randomBytes = 25

// textLen is the length of these bytes in a token, in base32.
const textLen = randomBytes / 5 * 8

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewToken returns a random token of a credit.
func NewToken() string {
	b := make([]byte, randomBytes)
	_, _ = rand.Read(b) // never fails
	return identity.CreditPrefix + encoding.EncodeToString(b)
}

// IsToken reports whether s has the form of a token.
func IsToken(s string) bool {
	text, ok := strings.CutPrefix(s, identity.CreditPrefix)
	return ok && len(text) == textLen && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// ID returns the id of a token's documents: its hash in hexadecimal digits.
func ID(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Path returns where the balance of a token is.
func Path(token string) store.Path { return store.Path("credits").Join(ID(token)) }

// A balance is a credit as it is stored.
type balance struct {
	Balance   price.Amount `json:"balance"`
	Entries   int64        `json:"entries"` // the number of the last entry
	CreatedAt store.Time   `json:"created_at"`
	ChangedAt store.Time   `json:"changed_at"`
}

// An Entry is a change of a balance.
type Entry struct {
	Number   int64         `json:"n"`
	Product  price.Product `json:"product"`  // that was bought with the credit, or the credit itself
	Amount   price.Amount  `json:"amount"`   // positive when the balance grew
	Balance  price.Amount  `json:"balance"`  // after the change
	Purchase string        `json:"purchase"` // id in the register of purchases
	At       store.Time    `json:"at"`
}

// A Credit is a balance within a transaction, which [Read] has read.
type Credit struct {
	path  store.Path
	found bool
	now   balance
}

// Read reads the credit of a token. The credit of an unknown token has a balance of
// zero and is created by its first change.
func Read(tx store.Tx, token string) (*Credit, error) {
	if !IsToken(token) {
		return nil, ErrUnknown
	}
	c := &Credit{path: Path(token)}
	switch err := tx.Get(c.path, &c.now); {
	case errors.Is(err, store.ErrNotFound):
		return c, nil
	case err != nil:
		return nil, err
	}
	c.found = true
	return c, nil
}

// Found reports whether the credit exists.
func (c *Credit) Found() bool { return c.found }

// Add changes the balance by an amount, negative for what is spent, and writes it with
// its entry. It returns ErrInsufficient, and writes nothing, when the balance would
// become negative.
func (c *Credit) Add(tx store.Tx, amount price.Amount, product price.Product, purchase string, now time.Time) error {
	next := c.now
	next.Balance += amount
	if next.Balance < 0 {
		return ErrInsufficient
	}
	if !c.found {
		next.CreatedAt = store.At(now)
	}
	next.Entries++
	next.ChangedAt = store.At(now)
	e := Entry{Number: next.Entries, Product: product, Amount: amount, Balance: next.Balance, Purchase: purchase, At: store.At(now)}
	err := errors.Join(tx.Set(c.path, next), tx.Create(c.path.Join("entries", fmt.Sprint(e.Number)), e))
	if err == nil {
		c.now, c.found = next, true
	}
	return err
}

// A Statement is a balance with a part of its entries.
type Statement struct {
	Balance   price.Amount
	Total     int // entries in all
	Entries   []Entry
	CreatedAt time.Time
	ChangedAt time.Time
}

// Exists reports whether a token was sold, by one read.
func Exists(ctx context.Context, db store.DB, token string) (bool, error) {
	_, err := load(ctx, db, token)
	if errors.Is(err, ErrUnknown) {
		return false, nil
	}
	return err == nil, err
}

func load(ctx context.Context, db store.DB, token string) (b balance, err error) {
	if !IsToken(token) {
		return b, ErrUnknown
	}
	if err = db.Get(ctx, Path(token), &b); errors.Is(err, store.ErrNotFound) {
		err = ErrUnknown
	}
	return b, err
}

// Load returns the balance of a token, and up to limit of its entries after the first
// offset, the newest first. It reads the balance and these entries. It returns
// ErrUnknown for an unknown token.
func Load(ctx context.Context, db store.DB, token string, limit, offset int) (s Statement, err error) {
	b, err := load(ctx, db, token)
	if err != nil {
		return s, err
	}
	s = Statement{Balance: b.Balance, Total: int(b.Entries), CreatedAt: b.CreatedAt.Time, ChangedAt: b.ChangedAt.Time}
	if limit <= 0 || offset < 0 || int64(offset) >= b.Entries {
		return s, nil
	}
	q := store.Query{
		Collection: Path(token).Join("entries"), OrderBy: "n", Desc: true, Limit: limit,
		Where: []store.Filter{{Field: "n", Op: store.LessEq, Value: b.Entries - int64(offset)}},
	}
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return s, err
		}
		var e Entry
		if err := doc.Decode(&e); err != nil {
			return s, err
		}
		s.Entries = append(s.Entries, e)
	}
	return s, nil
}
