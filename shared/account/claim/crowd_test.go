package claim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
)

const (
	crowd         = 100
	instances     = 4
	crowdComments = 2*comment.Batch + 7
)

// TestCrowd claims a guest 100 times at once, for one account. Each row moves once, and
// the answers report each row once.
func TestCrowd(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		total, owned := claimAtOnce(t, db, []identity.Owner{ana})
		if d := cmp.Diff(filled(crowdComments), total); d != "" {
			t.Errorf("what the answers report (-want +got):\n%s", d)
		}
		want := map[string]int{"folder": 1, "item": 2, "favorite": 2, "played": 3, "comment": crowdComments, "feed": 1, "purchase": 1}
		if d := cmp.Diff(want, owned.count(ana)); d != "" {
			t.Errorf("rows of the account (-want +got):\n%s", d)
		}
	})
}

// TestCrowdOfAccounts claims a guest for 100 accounts at once. Each row moves once.
func TestCrowdOfAccounts(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		var accounts []identity.Owner
		for range crowd {
			accounts = append(accounts, newAccount())
		}
		_, owned := claimAtOnce(t, db, accounts)
		if n := owned.count(guest); len(n) > 0 {
			t.Errorf("the guest still has %v", n)
		}
	})
}

// claimAtOnce makes a crowd of calls that claim the guest at once at several instances,
// for each of the accounts in turn, and again while the claim is pending. It checks that no row is lost or
// owned twice, and returns what all calls report to have moved and who owns it.
func claimAtOnce(t *testing.T, db store.DB, accounts []identity.Owner) (total Rows, after ledger) {
	t.Helper()
	fill(t, db, guest, crowdComments)
	owners := append([]identity.Owner{guest}, accounts...)
	before := ledgerOf(t, db, owners...)
	var servers [instances]*Claims
	for i := range servers {
		servers[i] = New(db)
	}
	var mu sync.Mutex
	var all errgroup.Group
	for i := range crowd {
		all.Go(func() error {
			for {
				r, err := servers[i%instances].Run(t.Context(), of(guest, accounts[i%len(accounts)]))
				if errors.Is(err, ErrPending) {
					continue
				}
				mu.Lock()
				defer mu.Unlock()
				total.add(r.Moved)
				return err
			}
		})
	}
	must(t, all.Wait())
	after = ledgerOf(t, db, owners...)
	checkOnce(t, before, after)
	return total, after
}

// each is how often TestWhileWriting writes something of each kind.
const each = 12

// TestWhileWriting claims a guest again and again while the guest writes. Every write
// that was acknowledged is stored, of one owner.
func TestWhileWriting(t *testing.T) {
	backends(t, func(t *testing.T, db store.DB) {
		written := make(chan string)
		var writers errgroup.Group
		for _, write := range []func(context.Context, store.DB, int) ([]string, error){writeFolder, writeFavorite, writeHistory, writeComment} {
			writers.Go(func() error {
				for n := range each {
					rows, err := write(t.Context(), db, n)
					if err != nil {
						return err
					}
					for _, row := range rows {
						written <- row
					}
				}
				return nil
			})
		}
		done := make(chan error, 1)
		go func() { done <- writers.Wait(); close(written) }()
		claims := New(db)
		var all []string
		var total Rows
		for row := range written {
			if all = append(all, row); len(all)%4 == 0 {
				r, err := claims.Run(t.Context(), of(guest, ana))
				must(t, err)
				total.add(r.Moved)
			}
		}
		must(t, <-done)
		total.add(run(t, db, of(guest, ana)).Moved)
		owned := ledgerOf(t, db, guest, ana)
		slices.Sort(all)
		rest := maps.Clone(owned)
		maps.DeleteFunc(rest, func(row string, _ []identity.Owner) bool { return strings.HasPrefix(row, "feed ") })
		if d := cmp.Diff(all, slices.Sorted(maps.Keys(rest))); d != "" {
			t.Errorf("rows (-acknowledged +stored):\n%s", d)
		}
		checkOnce(t, owned, owned)
		mine := owned.count(ana)
		if want := (Rows{Categories: mine["folder"], Groups: mine["folder"], Items: mine["item"], Favorites: each, History: each, Comments: each, Feeds: mine["feed"]}); total != want {
			t.Errorf("the claims report %+v; the account has %v", total, mine)
		}
	})
}

// writeFolder adds a folder, and returns its row and those of its items. It returns
// nothing when the guest has all folders, as it has once the account is full.
func writeFolder(ctx context.Context, db store.DB, n int) (rows []string, err error) {
	l, err := addFolders(ctx, db, guest, fmt.Sprint("Folder ", n))
	if errors.Is(err, library.ErrCategoryLimit) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	c := l.Categories[len(l.Categories)-1]
	rows = append(rows, "folder "+c.ID)
	for _, it := range c.Groups[0].Items {
		rows = append(rows, "item "+it.ID)
	}
	return rows, nil
}

func writeFavorite(ctx context.Context, db store.DB, n int) ([]string, error) {
	id := fmt.Sprint("C", n)
	return []string{"favorite " + id}, addFavorites(ctx, db, guest, noon, id)
}

func writeHistory(ctx context.Context, db store.DB, n int) ([]string, error) {
	id := fmt.Sprint("C", n)
	return []string{"played " + id}, addHistory(ctx, db, guest, noon, id)
}

func writeComment(ctx context.Context, db store.DB, n int) ([]string, error) {
	c, err := comment.New(guest, "A.br", "", fmt.Sprint("hello ", n), noon)
	if err != nil {
		return nil, err
	}
	_, err = comment.Post(ctx, db, c)
	return []string{"comment " + c.ID}, err
}
