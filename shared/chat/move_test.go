package chat_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// reasonOf returns the reason for which an owner may not post a text now; empty when it
// may.
func reasonOf(t *testing.T, r *chat.Rooms, owner identity.Owner, text string) string {
	t.Helper()
	_, err := r.Post(t.Context(), chat.Draft{Channel: "A.br", Owner: owner, Body: text})
	if err == nil {
		return ""
	}
	if !errors.Is(err, chat.ErrLimit) {
		t.Fatal(err)
	}
	reason, _ := fault.From(err).Fields["reason"].(string)
	return reason
}

func movePace(t *testing.T, db store.DB, from, to identity.Owner) (found bool) {
	t.Helper()
	err := db.Update(t.Context(), func(tx store.Tx) error {
		m, err := chat.ReadPaceMove(tx, from, to)
		if err != nil {
			return err
		}
		found = m.Found
		return m.Write(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestMovePace checks that an account is limited by what its guest wrote, in speed and
// in repeated texts, and by what it wrote itself.
func TestMovePace(t *testing.T) {
	r, db, c := open(t)
	n := 0
	for ; reasonOf(t, r, "g_ana", fmt.Sprint("text ", n)) == ""; n++ {
		if n > 100 {
			t.Fatal("a guest is not limited")
		}
	}
	c.wait(time.Second)
	post(t, r, chat.Draft{Channel: "A.br", Owner: "a_ana", Body: "mine"})
	if !movePace(t, db, "g_ana", "a_ana") || movePace(t, db, "g_ana", "a_ana") {
		t.Error("the pace does not move once")
	}
	if got := reasonOf(t, r, "a_ana", "new"); got != chat.TooFast {
		t.Errorf("after the claim the account is refused for %q", got)
	}
	if got := reasonOf(t, r, "g_ana", "new"); got != "" {
		t.Errorf("after the claim the guest is refused for %q", got)
	}
	c.wait(chat.DefaultLimits.Repeat / 2)
	for _, text := range []string{fmt.Sprint("text ", n-1), "mine"} {
		if got := reasonOf(t, r, "a_ana", text); got != chat.Repeated {
			t.Errorf("%q again is refused for %q", text, got)
		}
	}
	if err := chat.RemovePace(t.Context(), db, "a_ana"); err != nil {
		t.Fatal(err)
	}
	if got := reasonOf(t, r, "a_ana", "mine"); got != "" {
		t.Errorf("after the removal a text is refused for %q", got)
	}
}
