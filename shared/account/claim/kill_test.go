package claim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
)

// claimAll is the child: it claims guests one after the other, and reports when it
// begins each.
func claimAll(t *testing.T, db store.DB, account identity.Owner, guests []string) {
	for _, guest := range guests {
		killtest.Say("next")
		run(t, db, of(identity.Owner(guest), account))
	}
	killtest.Say("next")
	<-t.Context().Done() // it is killed before
}

// stopping is a database of a child that stops after some transactions, and reports
// that: it is killed then. Firestore keeps the locks of a process that is killed within
// a transaction for a minute, so its children are killed between two of them.
type stopping struct {
	store.DB
	left int // transactions
}

func (s *stopping) Update(ctx context.Context, f func(store.Tx) error) error {
	if s.left == 0 {
		for range guestsOfChild + 1 {
			killtest.Say("next")
		}
		<-ctx.Done()
	}
	s.left--
	return s.DB.Update(ctx, f)
}

// Each child claims a few guests, and each guest takes a few transactions.
const (
	guestsOfChild   = 3
	commentsOfGuest = comment.Batch + 1
	transactions    = 3 * guestsOfChild // of a child
)

// A killing is an account whose claims ended with their process.
type killing struct {
	account identity.Owner
	guests  []identity.Owner
	before  ledger // before the claims
}

// TestKilled kills processes that claim guests, at random points. After each of them no
// row is lost, owned twice or owned by nobody; and the repeated claims end what was
// begun.
func TestKilled(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 20
	}
	places(t, func(t *testing.T, place string) {
		if args, ok := killtest.Child(t); ok {
			db := open(t, args[0])
			if left, err := strconv.Atoi(args[1]); err == nil {
				db = &stopping{db, left}
			}
			claimAll(t, db, identity.Owner(args[2]), args[3:])
		}
		db := open(t, place)
		rnd := rand.New(rand.NewPCG(11, 11))
		pending := 0
		for range runs {
			k := fillKilling(t, db)
			if filepath.IsAbs(place) {
				k.kill(t, []string{place, "all"}, rnd.IntN(guestsOfChild), time.Duration(rnd.IntN(15_000))*time.Microsecond)
			} else {
				k.kill(t, []string{place, fmt.Sprint(rnd.IntN(transactions))}, guestsOfChild, 0)
			}
			checkOnce(t, k.before, k.ledger(t, db))
			pending += k.pending(t, db)
			k.checkRepeated(t, db)
		}
		t.Logf("%d of %d processes were killed while a claim was pending", pending, runs)
	})
}

// fillKilling fills guests for a child to claim.
func fillKilling(t *testing.T, db store.DB) killing {
	t.Helper()
	k := killing{account: newAccount()}
	for range guestsOfChild {
		g := newGuest()
		fill(t, db, g, commentsOfGuest)
		k.guests = append(k.guests, g)
	}
	k.before = k.ledger(t, db)
	return k
}

// kill starts a child, and kills it some time after its n-th report.
func (k killing) kill(t *testing.T, args []string, n int, later time.Duration) {
	t.Helper()
	args = append(args, string(k.account))
	for _, g := range k.guests {
		args = append(args, string(g))
	}
	killtest.Run(t, killtest.Plan{Args: args, After: later, Hear: func(string) bool { n--; return n < 0 }})
}

func (k killing) ledger(t *testing.T, db store.DB) ledger {
	return ledgerOf(t, db, append([]identity.Owner{k.account}, k.guests...)...)
}

// pending returns how many of its claims are pending.
func (k killing) pending(t *testing.T, db store.DB) (n int) {
	for _, g := range k.guests {
		var s state
		if err := db.Get(t.Context(), Path(g), &s); err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		if s.Pending {
			n++
		}
	}
	return n
}

// checkRepeated repeats the claims, and checks that the account owns everything then and
// that claims move nothing any more.
func (k killing) checkRepeated(t *testing.T, db store.DB) {
	t.Helper()
	for _, g := range k.guests {
		run(t, db, of(g, k.account))
	}
	after := k.ledger(t, db)
	checkOnce(t, k.before, after)
	for _, g := range k.guests {
		if r := run(t, db, of(g, k.account)); r != (Result{}) {
			t.Errorf("a claim repeated twice: %+v", r)
		}
		if n := after.count(g); len(n) > 0 {
			t.Errorf("a claimed guest has %v", n)
		}
	}
}
