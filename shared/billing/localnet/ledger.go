package localnet

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// A ledger moves money between accounts. All of it comes from the faucet, so the sum
// of the balances is always the supply.
//
// A transfer is one transaction: it reads both balances, creates the document of the
// authorization, and writes both balances. Creating the document is what makes it
// happen once: of concurrent transfers of one authorization all but one fail, and
// their balances are not written.
type ledger struct{ db store.DB }

// Supply is all the money that there is.
const Supply = 100_000_000 * price.Cent

// faucetAccount holds the money that no account has.
const faucetAccount = "faucet"

type account struct {
	Balance price.Amount `json:"balance"`
}

// A use says that the authorization of a payment has moved money, and how.
type use struct {
	Transaction string       `json:"transaction"`
	Block       int64        `json:"block"` // number of the block
	From        string       `json:"from"`
	To          string       `json:"to"`
	Nonce       string       `json:"nonce"` // 0x and hexadecimal digits
	Value       price.Amount `json:"value"`
	Call        string       `json:"call"` // of [ledger.transfer] that made it
}

var (
	errHeld  = errors.New("the account holds as much as the faucet gives")
	errEmpty = errors.New("the account has not enough")
)

const accounts = store.Path("localnet_accounts")

func accountPath(address string) store.Path { return accounts.Join(strings.ToLower(address)) }

const nonces = store.Path("localnet_nonces")

func noncePath(key string) store.Path { return nonces.Join(key) }

func (l ledger) balance(ctx context.Context, address string) (price.Amount, error) {
	var a account
	err := orZero(l.db.Get(ctx, accountPath(address), &a))
	return a.Balance, err
}

func orZero(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// used reports whether the authorization with a key has moved money.
func (l ledger) used(ctx context.Context, key string) (bool, error) {
	err := l.db.Get(ctx, noncePath(key), &use{})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// uses returns the authorizations that were used in some blocks, in their order.
func (l ledger) uses(ctx context.Context, first, last int64) (found []use, err error) {
	q := store.Query{Collection: nonces, OrderBy: "block", Where: []store.Filter{
		{Field: "block", Op: store.MoreEq, Value: first}, {Field: "block", Op: store.LessEq, Value: last},
	}}
	for doc, err := range l.db.Query(ctx, q) {
		var u use
		if err == nil {
			err = doc.Decode(&u)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, u)
	}
	return found, nil
}

// fund moves money from the faucet to an account that then holds at most most, and
// returns what it holds.
func (l ledger) fund(ctx context.Context, address string, amount, most price.Amount) (held price.Amount, err error) {
	err = l.db.Update(ctx, func(tx store.Tx) error {
		faucet, to := account{Supply}, account{}
		if err := orZero(tx.Get(accountPath(faucetAccount), &faucet)); err != nil {
			return err
		}
		if err := orZero(tx.Get(accountPath(address), &to)); err != nil {
			return err
		}
		if to.Balance+amount > most {
			return errHeld
		}
		held = to.Balance + amount
		return move(tx, faucetAccount, faucet, address, to, amount)
	})
	return held, err
}

// move writes both accounts after a transfer.
func move(tx store.Tx, from string, payer account, to string, receiver account, amount price.Amount) error {
	if payer.Balance < amount {
		return errEmpty
	}
	payer.Balance -= amount
	receiver.Balance += amount
	if err := tx.Set(accountPath(from), payer); err != nil {
		return err
	}
	return tx.Set(accountPath(to), receiver)
}

// transfer moves the money of a payment that was checked. It returns the reason when
// the payer has too little or the authorization was used before. The balance is
// checked first, as facilitators do: a payer without further money who paid already
// has too little. A database may repeat a transaction when it does not know that it
// succeeded, so a use that this very call has stored is its success.
func (l ledger) transfer(ctx context.Context, p *x402.Payment, block int64) (transaction, reason string, err error) {
	transaction = "0x" + p.Key()
	call := rand.Text()
	err = l.db.Update(ctx, func(tx store.Tx) error {
		var before use
		if err := orZero(tx.Get(noncePath(p.Key()), &before)); err != nil || before.Call == call {
			return err
		}
		var from, to account
		if err := errors.Join(orZero(tx.Get(accountPath(p.From), &from)), orZero(tx.Get(accountPath(p.To), &to))); err != nil {
			return err
		}
		if from.Balance < p.Value {
			return errEmpty
		}
		done := use{transaction, block, p.From, p.To, p.Authorization().Nonce, p.Value, call}
		if err := tx.Create(noncePath(p.Key()), done); err != nil || p.From == p.To {
			return err
		}
		return move(tx, p.From, from, p.To, to, p.Value)
	})
	switch {
	case err == nil:
		return transaction, "", nil
	case errors.Is(err, errEmpty):
		return "", x402.ReasonFunds, nil
	case errors.Is(err, store.ErrExists):
		return "", x402.ReasonState, nil
	}
	return "", "", err
}
