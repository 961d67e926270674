package comments

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// fill stores n comments on a channel without their limits, one a second, and returns
// their texts, newest first.
func (w *world) fill(t *testing.T, n int) (texts []string) {
	t.Helper()
	const perUpdate = 250
	for from := 0; from < n; from += perUpdate {
		err := w.db.Update(t.Context(), func(tx store.Tx) error {
			for i := from; i < min(from+perUpdate, n); i++ {
				c, err := comment.New("g_1", "A.br", "", fmt.Sprint(i), w.clock().Add(time.Duration(i)*time.Second))
				if err == nil {
					err = tx.Set(store.Path("comments").Join(c.ID), c)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		texts = append(texts, fmt.Sprint(n-1-i))
	}
	return texts
}

// walk reads all pages from the first one on, and returns the texts and how many pages
// there were. With jump it follows next_offset in place of next.
func walk(t *testing.T, h http.Handler, limit, total int, jump bool) (texts []string, pages int) {
	t.Helper()
	for next := fmt.Sprintf("%s?limit=%d", at("A.br"), limit); next != ""; pages++ {
		code, l := call(t, h, "", "GET", next, "")
		if code != http.StatusOK || l.Total != total || (l.Next == nil) != (l.NextOffset == nil) {
			t.Fatalf("GET %s: %d %+v", next, code, l.Position)
		}
		for _, it := range l.Items {
			texts = append(texts, it.Body)
		}
		switch {
		case l.Next == nil:
			next = ""
		case jump:
			next = fmt.Sprintf("%s?limit=%d&offset=%d", at("A.br"), limit, *l.NextOffset)
		default:
			next = strings.TrimPrefix(*l.Next, links.Base)
		}
	}
	return texts, pages
}

// TestPages reads every comment of a channel with many, by following next and by
// following next_offset, with a cost that does not grow with the depth of a page.
func TestPages(t *testing.T) {
	totals := []int{0, 1, headLen - 1, headLen, headLen + 1, 2*headLen + 7, 1020, 5000}
	if testing.Short() {
		totals = totals[:len(totals)-1]
	}
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		for _, total := range totals {
			w := newWorld(t, "A.br")
			meter := storetest.NewMeter(db)
			w.db = meter
			if err := clearComments(t, db); err != nil {
				t.Fatal(err)
			}
			want := append([]string(nil), w.fill(t, total)...)
			h := w.instance()
			for _, way := range []struct {
				name  string
				jump  bool
				limit int
				cost  int64 // reads of a page at most, beside the remembered head
			}{{"next", false, 50, 51}, {"next_offset", true, 50, 51 + 50 + 2 + 5*6}, {"next of 30", false, 30, 31}} {
				before := meter.Ops()
				got, pages := walk(t, h, way.limit, total, way.jump)
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%d comments by %s (-want +got):\n%s", total, way.name, d)
				}
				reads, head := meter.Ops().Less(before).Reads, int64(headLen+6)
				if most := head + int64(pages)*way.cost; reads > most {
					t.Errorf("%d comments by %s: %d reads for %d pages, want at most %d", total, way.name, reads, pages, most)
				}
				t.Logf("%d comments by %s: %d pages, %d reads", total, way.name, pages, reads)
			}
			code, l := call(t, h, "", "GET", at("A.br")+"?offset=100000000", "")
			if code != http.StatusOK || len(l.Items) != 0 || l.Total != total || l.NextOffset != nil {
				t.Errorf("beyond the end of %d: %d %+v", total, code, l.list)
			}
		}
	})
}

// clearComments deletes all comments.
func clearComments(t *testing.T, db store.DB) error {
	for doc, err := range db.Query(t.Context(), store.Query{Collection: "comments"}) {
		if err != nil {
			return err
		}
		if err := db.Delete(t.Context(), doc.Path); err != nil {
			return err
		}
	}
	return nil
}

// TestNextWhilePosting follows next while others post and the last comment of a page is
// deleted: every comment comes once.
func TestNextWhilePosting(t *testing.T) {
	w := newWorld(t, "A.br")
	want := w.fill(t, 3*headLen)
	w.wait(time.Hour)
	h := w.instance()
	var got []string
	for next, page := at("A.br")+"?limit=20", 0; next != ""; page++ {
		_, l := call(t, h, "", "GET", next, "")
		for _, it := range l.Items {
			got = append(got, it.Body)
		}
		next = ""
		if l.Next != nil {
			next = strings.TrimPrefix(*l.Next, links.Base)
			last := l.Items[len(l.Items)-1].ID
			if err := w.db.Delete(t.Context(), store.Path("comments").Join(strings.TrimPrefix(last, comment.IDPrefix))); err != nil {
				t.Fatal(err)
			}
		}
		say(t, h, "ana", "A.br", fmt.Sprint("new ", page))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("read (-want +got):\n%s", d)
	}
}

// TestBadAfter refuses what is not a position.
func TestBadAfter(t *testing.T) {
	h := newWorld(t, "A.br").instance()
	for _, after := range []string{"x", "0_x", "_", strings.Repeat("a", 65), "%00"} {
		if code, r := call(t, h, "", "GET", at("A.br")+"?after="+after, ""); code != http.StatusBadRequest || r.Param != "after" {
			t.Errorf("%.20s: %d %+v", after, code, r)
		}
	}
}

// TestBurying attacks a comment from one machine with a new guest for every 20 comments,
// each text new: what others wrote stays on the first pages, and is on a page at all.
func TestBurying(t *testing.T) {
	w := newWorld(t, "A.br", "B.br")
	h := w.instance()
	send := func(addr, owner, text string) (int, reply) {
		r := httptest.NewRequest("POST", at("A.br"), strings.NewReader(fmt.Sprintf(`{"body":%q}`, text)))
		r.RemoteAddr = addr
		r.Header.Set("X-Guest-Token", owner)
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		v := reply{header: answer.Header()}
		if err := json.Unmarshal(answer.Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		return answer.Code, v
	}
	if code, r := send("198.51.100.7:1", "ana", "An honest comment"); code != http.StatusOK {
		t.Fatalf("ana: %d %+v", code, r)
	}
	accepted, refused := 0, map[string]int{}
	for i := range 1020 {
		w.wait(4 * time.Millisecond)
		addr := fmt.Sprintf("203.0.113.%d:9", i%256) // every address of its /24
		code, r := send(addr, fmt.Sprint("eve", i/comment.PerHour), unlike(i))
		switch {
		case code == http.StatusOK:
			accepted++
		case code == http.StatusTooManyRequests && r.header.Get("Retry-After") != "":
			refused[r.Error]++
		default:
			t.Fatalf("comment %d: %d %+v", i, code, r)
		}
	}
	if accepted != comment.NetworkPerChannel || refused["comment_network_limit_reached"] != 1020-accepted {
		t.Errorf("%d accepted, refused %v", accepted, refused)
	}
	if code, r := send("198.51.100.8:1", "bob", "Hello"); code != http.StatusOK {
		t.Errorf("a person of another network: %d %+v", code, r)
	}
	if code, r := send("203.0.113.8:1", "old", "Hello, neighbors"); code != http.StatusOK {
		t.Errorf("a person of the same network who is known: %d %+v", code, r)
	}
	texts, _ := walk(t, h, 20, accepted+3, false)
	if place := slices.Index(texts, "An honest comment"); place < 0 || place >= 3*20 {
		t.Errorf("the comment is at place %d", place)
	}
}

// unlike returns a text that repeats none with another number.
func unlike(n int) string {
	return strings.Repeat(string(rune('a'+n%26)), 2) + "x" + strings.Map(func(digit rune) rune { return digit - '0' + 'k' }, fmt.Sprint(n))
}

// TestTexts refuses repetitions and comments of a busy network with 429, a code and a
// time to wait.
func TestTexts(t *testing.T) {
	w := newWorld(t, "A.br", "B.br")
	h := w.instance()
	const text = "Watch every match for free at matches.example tonight"
	if code, _ := say(t, h, "ana", "A.br", text); code != http.StatusOK {
		t.Fatal(code)
	}
	code, r := say(t, h, "ana", "B.br", strings.ToUpper(text)+" !!")
	if code != http.StatusTooManyRequests || r.Error != "comment_repeated" || r.header.Get("Retry-After") != "86400" {
		t.Errorf("repeated: %d %+v %v", code, r, r.header)
	}
	for _, channel := range []string{"A.br", "B.br"} {
		if code, r := say(t, h, "bob", channel, "boa!"); code != http.StatusOK {
			t.Errorf("boa! on %s: %d %+v", channel, code, r)
		}
	}
}

// TestNetworkStored stores the name of the day of a network, apart from the comment.
func TestNetworkStored(t *testing.T) {
	w := newWorld(t, "A.br")
	_, r := say(t, w.instance(), "ana", "A.br", "hello")
	id, err := comment.ParseID(r.Comment.ID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := comment.NetworkOf(t.Context(), w.db, id)
	addr := netip.MustParseAddrPort(httptest.NewRequest("GET", "/", nil).RemoteAddr).Addr()
	if want := w.people.WiderName(addr, noon); got != want || want == "" || err != nil {
		t.Errorf("network %q, %v; want %q", got, err, want)
	}
}
