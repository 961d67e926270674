// Package claim moves everything that a guest owns to an account.
//
//	claims/{guest}    the last claim of a guest's things, and what it moved
//
// A guest is claimed in two steps. The first is one transaction over everything that is
// bounded: the library with its feed tokens, what it publishes and follows, the favorites, the history, purchases and
// passes, what limits or hides speech, and the paces of comments and chats. When the guest may have comments, that transaction also marks the claim as
// pending. The second step moves the comments in batches, and the last batch ends the
// claim. Each row therefore has one owner at every moment, and a process that dies
// between two transactions leaves a pending claim, which the next call continues.
//
// A pending claim belongs to the account that began it. When another account claims the
// same guest, that call first ends the pending claim in favor of the account that began
// it, and then takes what is left. So nobody waits for an account that does not come
// back. After a day the other account takes over what is pending: the first one may be
// deleted by then.
//
// The guest may write at any time. Its writes and the claim are serialized by the
// database: a row that was written before the transaction moves, and a later one stays
// with the guest until the next claim.
package claim

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/library/public"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

// Faults of claims.
var (
	// ErrGuest means that a token or an owner is not that of a guest.
	ErrGuest = fault.New(fault.Invalid, "invalid_product_claim")
	// ErrUnknown means that an old token owns nothing, and may have been made up.
	ErrUnknown = fault.New(fault.Conflict, "unknown_guest").With("claimed", map[string]any{"reason": "unknown_guest"})
	// ErrPending means that a claim has begun and has not ended; repeating it
	// continues it.
	ErrPending = fault.New(fault.Unavailable, "product_claim_pending").With("retry_after", 1)
)

const (
	// maxBatches is how many batches of comments one call moves. More are left
	// for the next call, so that no request runs into its time limit.
	maxBatches = 40
	// holdFor is how long a pending claim belongs to its account. It is shorter than
	// the time that passes before an account is deleted.
	holdFor = 24 * time.Hour
	// keepFor is how long an ended claim is stored: as long as the token of an old
	// guest whose things all moved is recognized.
	keepFor = 30 * 24 * time.Hour
)

// A Claim is what an account asks for.
type Claim struct {
	Guest   identity.Owner
	Account identity.Owner
	At      time.Time
	Shown   kept.Shown // returns the id that a channel has now, by which rows of the same channel are found
}

// Rows counts rows by their tables.
type Rows struct {
	Categories int `json:"categories" description:"Folders that moved."`
	Groups     int `json:"groups" description:"Sub-tabs that moved."`
	Items      int `json:"items"`
	Favorites  int `json:"favorites" description:"Favorites that moved."`
	History    int `json:"history" description:"Rows of the history that moved."`
	Comments   int `json:"comments" description:"Comments that moved."`
	Feeds      int `json:"feeds" description:"Feed tokens that moved."` // feed tokens
	Purchases  int `json:"purchases" description:"Purchases that moved."`
	Public     int `json:"public" description:"Public libraries that moved: one at most."`
	Following  int `json:"following" description:"Followed libraries and folders that moved."`
}

// add adds other to r.
func (r *Rows) add(other Rows) {
	r.Categories += other.Categories
	r.Groups += other.Groups
	r.Items += other.Items
	r.Favorites += other.Favorites
	r.History += other.History
	r.Comments += other.Comments
	r.Feeds += other.Feeds
	r.Purchases += other.Purchases
	r.Public += other.Public
	r.Following += other.Following
}

// A Result is what became of the guest's rows.
type Result struct {
	Moved Rows // to the account, since the claim began
	Left  Rows // with the guest, because they collide or the account has no room for them
}

// Path returns where the last claim of a guest's things is.
func Path(guest identity.Owner) store.Path { return store.Path("claims").Join(string(guest)) }

// A state is a claim as it is stored.
type state struct {
	Account  identity.Owner `json:"account"`
	Pending  bool           `json:"pending"` // comments are left to move
	BeganAt  store.Time     `json:"began_at"`
	Moved    Rows           `json:"moved"`     // so far
	ExpireAt *store.Time    `json:"expire_at"` // nil while the claim is pending
}

// heldFrom reports whether the claim is pending for another account than that of c.
func (s *state) heldFrom(c Claim) bool {
	return s.Pending && s.Account != c.Account && c.At.Sub(s.BeganAt.Time) < holdFor
}

// end marks a claim as ended.
func (s *state) end(now time.Time) {
	expire := store.At(now.Add(keepFor))
	s.Pending, s.ExpireAt = false, &expire
}

// read reads the state of the claim of c's guest; the zero state when there is none.
func (c Claim) read(tx store.Tx) (s state, err error) {
	if err = tx.Get(Path(c.Guest), &s); errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return s, err
}

// AccountOf returns the account that claimed the things of a guest last. It is empty
// when no account has, or has more than [keepFor] ago. It costs a read.
func AccountOf(tx store.Tx, guest identity.Owner) (identity.Owner, error) {
	s, err := Claim{Guest: guest}.read(tx)
	return s.Account, err
}

// Claims runs the claims of an instance. Its methods may be called concurrently.
type Claims struct {
	db    store.DB
	turns turns
}

// New returns the claims of guests in db.
func New(db store.DB) *Claims { return &Claims{db: db} }

// Run moves everything of c's guest to c's account. Rows that collide with rows of the
// account, and rows that it has no room for, stay with the guest; nothing is deleted.
//
// The call that ends a claim reports everything that the claim moved, and calls beside
// or after it report only what is left, so that no row is reported twice. When a call
// of another account ends the claim, no call reports it. Run returns ErrGuest when a guest or an account is not one, ErrPending
// when the claim has begun and could not be ended, and identity.ErrUnavailable when it
// has not begun.
func (cs *Claims) Run(ctx context.Context, c Claim) (Result, error) {
	if identity.KindOf(c.Guest) != identity.Guest || identity.KindOf(c.Account) != identity.Person {
		return Result{}, ErrGuest
	}
	end, err := cs.turns.wait(ctx, c.Guest)
	if err != nil {
		return Result{}, identity.ErrUnavailable.Because(err)
	}
	defer end()
	for {
		s, left, err := c.begin(ctx, cs.db)
		switch {
		case err != nil:
			return Result{}, identity.ErrUnavailable.Because(err)
		case !s.Pending:
			return Result{s.Moved, left}, nil
		}
		moved, err := Claim{Guest: c.Guest, Account: s.Account, At: c.At}.moveComments(ctx, cs.db)
		if err != nil {
			return Result{}, ErrPending.Because(err)
		}
		if s.Account == c.Account {
			return Result{moved, left}, nil
		}
	}
}

// begin moves everything that is bounded, in one transaction, and returns the claim as
// it is then with what is left. It changes nothing while a claim is pending that belongs
// to another account: it returns that claim.
func (c Claim) begin(ctx context.Context, db store.DB) (s state, left Rows, err error) {
	err = db.Update(ctx, func(tx store.Tx) (err error) {
		if s, err = c.read(tx); err != nil || s.heldFrom(c) {
			return err
		}
		overtaken := s.Pending && s.Account != c.Account
		if overtaken || !s.Pending {
			s = state{Account: c.Account, Pending: overtaken, BeganAt: store.At(c.At)}
		}
		p, err := c.plan(tx)
		if err != nil {
			return err
		}
		left = p.left
		if p.moved == (Rows{}) && !p.comments && !p.more && !overtaken {
			return nil
		}
		s.Moved.add(p.moved)
		if s.Pending = s.Pending || p.comments; !s.Pending {
			s.end(c.At)
		}
		return errors.Join(p.write(tx), tx.Set(Path(c.Guest), s))
	})
	return s, left, err
}

// A plan is what one transaction does.
type plan struct {
	moved, left Rows
	comments    bool                     // the guest may have comments
	more        bool                     // something moves that is not counted
	takes       func(folder string) bool // reports whether the account has a folder afterwards
	writes      []func(store.Tx) error
}

// A part plans the move of what one subject stores of the guest. It reads only, because
// all reads of a transaction come before its writes.
type part func(c Claim, tx store.Tx, p *plan) error

// parts are the subjects, in the order in which they are read and written.
var parts = []part{Claim.library, Claim.public, Claim.following, Claim.favorites, Claim.history, Claim.purchases, Claim.limits, Claim.chat, Claim.pace}

func (c Claim) plan(tx store.Tx) (*plan, error) {
	p := new(plan)
	for _, read := range parts {
		if err := read(c, tx, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// write writes everything that p moves.
func (p *plan) write(tx store.Tx) error {
	for _, write := range p.writes {
		if err := write(tx); err != nil {
			return err
		}
	}
	return nil
}

func (c Claim) library(tx store.Tx, p *plan) error {
	m, err := library.ReadMove(tx, c.Guest, c.Account)
	if err != nil {
		return err
	}
	p.moved.add(rowsOf(m.Moved))
	p.left.add(rowsOf(m.Left))
	p.takes = m.Takes
	p.writes = append(p.writes, func(tx store.Tx) error { return m.Write(tx, c.At) })
	return nil
}

// rowsOf returns the rows that make up a library.
func rowsOf(l library.Content) Rows {
	return Rows{Categories: l.Categories, Groups: l.Groups, Items: l.Items, Feeds: l.Feeds}
}

// public moves what the guest publishes, when a folder of it moves with the library.
func (c Claim) public(tx store.Tx, p *plan) error {
	m, err := public.ReadMove(tx, c.Guest, c.Account, c.At, p.takes)
	if err != nil {
		return err
	}
	p.moved.Public, p.left.Public = m.Moved, m.Left
	p.writes = append(p.writes, m.Write)
	return nil
}

func (c Claim) following(tx store.Tx, p *plan) error {
	m, err := follow.ReadMove(tx, c.Guest, c.Account)
	if err != nil {
		return err
	}
	p.moved.Following, p.left.Following = m.Moved, m.Left
	p.writes = append(p.writes, m.Write)
	return nil
}

func (c Claim) favorites(tx store.Tx, p *plan) error {
	m, err := kept.ReadFavorites(tx, c.Guest, c.Account, c.Shown)
	if err != nil {
		return err
	}
	p.moved.Favorites, p.left.Favorites = m.Moved, m.Left
	p.writes = append(p.writes, m.Write)
	return nil
}

func (c Claim) history(tx store.Tx, p *plan) error {
	m, err := kept.ReadHistory(tx, c.Guest, c.Account, c.Shown)
	if err != nil {
		return err
	}
	p.moved.History, p.left.History = m.Moved, m.Left
	p.writes = append(p.writes, m.Write)
	return nil
}

// purchases moves what the guest bought, with the passes that are in force.
func (c Claim) purchases(tx store.Tx, p *plan) error {
	m, err := billing.ReadMove(tx, c.Guest, c.Account, c.At)
	if err != nil {
		return err
	}
	p.moved.Purchases = m.Purchases
	p.more = p.more || m.Passes > 0
	p.writes = append(p.writes, func(tx store.Tx) error { return m.Write(tx, c.At) })
	return nil
}

// limits makes the operator's mute of the guest one of the account, which claiming
// would lift otherwise, and moves whose texts the guest hides.
func (c Claim) limits(tx store.Tx, p *plan) error {
	m, err := moderation.ReadMove(tx, c.Guest, c.Account)
	if err != nil {
		return err
	}
	p.more = p.more || m.Found
	p.writes = append(p.writes, m.Write)
	return nil
}

func (c Claim) chat(tx store.Tx, p *plan) error {
	m, err := chat.ReadPaceMove(tx, c.Guest, c.Account)
	if err != nil {
		return err
	}
	p.more = p.more || m.Found
	p.writes = append(p.writes, m.Write)
	return nil
}

func (c Claim) pace(tx store.Tx, p *plan) error {
	m, err := comment.ReadPaceMove(tx, c.Guest, c.Account)
	if err != nil {
		return err
	}
	p.comments = m.Found
	p.writes = append(p.writes, func(tx store.Tx) error { return m.Write(tx, c.At) })
	return nil
}

// errMany means that the guest has more comments than one call moves.
var errMany = errors.New("the guest has more comments than one call moves")

// moveComments moves the guest's comments and ends the claim. It returns what the claim
// moved in all, and nothing when another call ended it.
func (c Claim) moveComments(ctx context.Context, db store.DB) (Rows, error) {
	for range maxBatches {
		ids, err := comment.Of(ctx, db, c.Guest)
		if err != nil {
			return Rows{}, err
		}
		s, err := c.moveBatch(ctx, db, ids)
		if err != nil || !s.Pending {
			return s.Moved, err
		}
	}
	return Rows{}, errMany
}

// moveBatch moves some comments, in one transaction, and returns the claim as it is
// then. It ends the claim when ids are fewer than a full batch, which means that the
// guest had no others. When another call has ended it meanwhile the state is zero.
func (c Claim) moveBatch(ctx context.Context, db store.DB, ids []string) (s state, err error) {
	err = db.Update(ctx, func(tx store.Tx) (err error) {
		if s, err = c.read(tx); err != nil {
			return err
		}
		if !s.Pending || s.Account != c.Account {
			s = state{}
			return nil
		}
		m, err := comment.ReadMove(tx, ids, c.Guest, c.Account)
		if err != nil {
			return err
		}
		s.Moved.Comments += m.Moved
		if len(ids) < comment.Batch {
			s.end(c.At)
		}
		return errors.Join(m.Write(tx, c.At), tx.Set(Path(c.Guest), s))
	})
	return s, err
}

// Known reports whether a guest owns something, or owned something that was claimed
// lately. The token of an old guest that is not known may have been made up.
func Known(ctx context.Context, db store.DB, guest identity.Owner) (bool, error) {
	return identity.Owning(db, Path, library.Path, kept.FavoritesPath, kept.HistoryPath, comment.PacePath, pass.Path, follow.Path)(ctx, guest)
}
