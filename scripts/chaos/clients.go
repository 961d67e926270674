package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"miramundo.dev/shared/billing/localnet"
	"miramundo.dev/shared/billing/localnet/wallet"
)

// clients returns those who use the service, each until its context is done.
func (w *world) clients() []func(context.Context) {
	all := []func(context.Context){w.operator, w.buyer, w.buyer, w.listener}
	for range 3 {
		all = append(all, w.librarian, w.fan, w.reporter, w.reader)
	}
	for n := range talkers {
		all = append(all, func(ctx context.Context) { w.talker(ctx, n) })
	}
	return all
}

// prepare does what is not to be broken: it buys the passes of those who chat.
func (w *world) prepare(ctx context.Context) error {
	for range talkers {
		guest := w.guest(ctx)
		credit, err := w.buy(ctx)
		if err != nil {
			return err
		}
		a := w.call(ctx, request{op: "buy_chat_pass", guest: guest, header: [2]string{"X-Credito", credit}})
		if !a.ok() {
			return fmt.Errorf("a pass for the chat is answered with %s", a)
		}
		w.talk.guests = append(w.talk.guests, guest)
	}
	a := w.call(ctx, request{op: "post_chat_message", id: w.room(), guest: w.talk.guests[0], body: `{"body":"opening","ref":"opening"}`})
	var said struct{ Message struct{ ID string } }
	if !a.ok() || json.Unmarshal(a.body, &said) != nil {
		return fmt.Errorf("the first message is answered with %s", a)
	}
	w.talk.opening = said.Message.ID
	return nil
}

// A library is what one guest was told that it has kept.
type library struct {
	guest string
	kept  []string // ids of channels
}

// libraries are those that the run has made.
type libraries struct {
	mu  sync.Mutex
	all []library
}

// librarian makes libraries and adds channels to them. What was acknowledged is in every
// library that it reads afterwards.
func (w *world) librarian(ctx context.Context) {
	for ctx.Err() == nil {
		guest := w.guest(ctx)
		a := w.call(ctx, request{op: "create_folder", guest: guest, body: `{"name":"TV"}`})
		var folder struct {
			Group string `json:"group_id"`
		}
		if !a.ok() || json.Unmarshal(a.body, &folder) != nil {
			pause(ctx, time.Second)
			continue
		}
		l := library{guest: guest}
		for n, i := range rand.Perm(len(w.channels))[:min(20, len(w.channels))] {
			body := fmt.Sprintf(`{"group_id":%q,"channel_id":%q}`, folder.Group, w.channels[i])
			if a := w.call(ctx, request{op: "add_item", guest: guest, body: body}); a.ok() {
				l.kept = append(l.kept, w.channels[i])
			}
			if n%5 == 4 {
				w.checkLibrary(ctx, l)
			}
		}
		w.libraries.mu.Lock()
		w.libraries.all = append(w.libraries.all, l)
		w.libraries.mu.Unlock()
	}
}

// checkLibrary reads a library, which has everything that was acknowledged. It reports
// whether it was answered.
func (w *world) checkLibrary(ctx context.Context, l library) bool {
	a := w.call(ctx, request{op: "get_library", guest: l.guest})
	if !a.ok() {
		return false
	}
	for _, id := range l.kept {
		if !strings.Contains(string(a.body), fmt.Sprintf(`"channel_id":%q`, id)) {
			w.broken.add("lost items", "the library of %s… lacks %s, which was acknowledged", l.guest[:12], id)
		}
	}
	return true
}

// counts are how often something was tried and acknowledged, by channel.
type counts struct {
	mu           sync.Mutex
	tried, acked map[string]int
}

func (c *counts) add(id string, acked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tried == nil {
		c.tried, c.acked = map[string]int{}, map[string]int{}
	}
	c.tried[id]++
	if acked {
		c.acked[id]++
	}
}

// counted are the channels whose counters are checked; nobody else counts there.
func (w *world) counted() []string { return w.channels[:3] }

// insist calls again while the service fails or does not answer, as clients do: what such a
// call has done must not be done twice.
func (w *world) insist(ctx context.Context, q request) answer {
	for {
		a := w.call(ctx, q)
		if ctx.Err() != nil || a.status != 0 && a.status < 500 && a.status != http.StatusTooManyRequests {
			return a
		}
		pause(ctx, 200*time.Millisecond)
	}
}

// fan makes favorites, each as another guest.
func (w *world) fan(ctx context.Context) {
	for ctx.Err() == nil {
		guest, id := w.guest(ctx), w.counted()[rand.IntN(3)]
		a := w.insist(ctx, request{op: "add_favorite", guest: guest, body: fmt.Sprintf(`{"channel_id":%q}`, id)})
		w.favorites.add(id, a.ok())
	}
}

// reporter reports plays, each as another guest.
func (w *world) reporter(ctx context.Context) {
	for ctx.Err() == nil {
		guest, id := w.guest(ctx), w.counted()[rand.IntN(3)]
		a := w.insist(ctx, request{op: "report_play", guest: guest, body: fmt.Sprintf(`{"channel_id":%q,"ok":true}`, id)})
		w.plays.add(id, a.ok())
	}
}

// talkers is how many people chat.
const talkers = 3

// A conversation is what was said in the room, and acknowledged.
type conversation struct {
	guests  []string
	opening string   // id of the first message
	heard   []string // ids of the messages that the listener got, in order
	mu      sync.Mutex
	said    map[string]string // ids of messages, by their texts
}

// room is the channel in whose room they chat.
func (w *world) room() string { return w.channels[4] }

// talker says one thing after another, each until it is acknowledged, as a client does
// that sends again what it got no answer to.
func (w *world) talker(ctx context.Context, n int) {
	for turn := 0; ctx.Err() == nil; turn++ {
		text := fmt.Sprintf("talker %d says %d", n, turn)
		body := fmt.Sprintf(`{"body":%q,"ref":"%d-%d"}`, text, n, turn)
		for ctx.Err() == nil {
			a := w.call(ctx, request{op: "post_chat_message", id: w.room(), guest: w.talk.guests[n], body: body})
			var said struct{ Message struct{ ID string } }
			if a.ok() && json.Unmarshal(a.body, &said) == nil {
				w.talk.mu.Lock()
				if w.talk.said == nil {
					w.talk.said = map[string]string{}
				}
				w.talk.said[text] = said.Message.ID
				w.talk.mu.Unlock()
				break
			}
			pause(ctx, 200*time.Millisecond)
		}
		pause(ctx, 500*time.Millisecond) // there is a pace
	}
}

// listener listens in the room on a socket. When it is cut off it comes back, and asks for
// what follows the last message that it has.
func (w *world) listener(ctx context.Context) {
	for ctx.Err() == nil {
		w.listen(ctx)
		pause(ctx, 200*time.Millisecond)
	}
}

// A frame is what the chat room sends.
type frame struct {
	T     string // "pronto" begins, "msg" is a message
	ID    string
	Items []struct{ ID string } // of the beginning: the last messages, or those that were asked for
}

// listen listens on one socket from the message after the last one that was heard, until
// the socket is cut off or ctx is done.
func (w *world) listen(ctx context.Context) {
	last := w.talk.opening
	if n := len(w.talk.heard); n > 0 {
		last = w.talk.heard[n-1]
	}
	address := "ws" + strings.TrimPrefix(w.stack.URL, "http") + strings.Replace(w.paths["open_chat_socket"][1], "{channel_id}", w.room(), 1)
	socket, _, err := websocket.Dial(ctx, address, //nolint:bodyclose // the library closes it
		&websocket.DialOptions{HTTPHeader: http.Header{addressHeader: {w.network()}}})
	if err != nil {
		return
	}
	defer func() { _ = socket.CloseNow() }() // an error means that it is closed
	socket.SetReadLimit(maxAnswer)
	if err := socket.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"t":"hello","depois":%q}`, last)); err != nil {
		return
	}
	for beginnings := 0; ; {
		_, text, err := socket.Read(ctx)
		var f frame
		if err != nil || json.Unmarshal(text, &f) != nil {
			return
		}
		switch {
		case f.T == "pronto":
			if beginnings++; beginnings == 2 { // the first has the last messages, whatever was heard before
				for _, m := range f.Items {
					w.talk.heard = append(w.talk.heard, m.ID)
				}
			}
		case f.T == "msg" && beginnings == 2:
			w.talk.heard = append(w.talk.heard, f.ID)
		}
	}
}

// A purchase is a payment that was signed, and the credit that it bought.
type purchase struct {
	purse  *wallet.Wallet
	from   string  // address of the buyer, to which alone the payment's credit is told
	held   holding // before the payment
	signed string  // the payment
	token  string  // of the credit; empty until it is acknowledged
}

// A holding is the test money of a wallet, in atomic units.
type holding struct{ Balance int64 }

// purchases are those that were begun.
type purchases struct {
	mu  sync.Mutex
	all []*purchase
}

// buyer buys credits.
func (w *world) buyer(ctx context.Context) {
	for ctx.Err() == nil {
		if _, err := w.buy(ctx); err != nil && ctx.Err() == nil {
			w.broken.add("purchases", "%v", err)
		}
		pause(ctx, time.Second)
	}
}

// buy buys a credit with a new wallet, and repeats the call with the same payment until it
// is answered, as clients do.
func (w *world) buy(ctx context.Context) (string, error) {
	p := &purchase{purse: wallet.New(), from: w.network()}
	payments := w.stack.Value("payments with test money at")
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, payments+localnet.FaucetPath, strings.NewReader(fmt.Sprintf(`{"address":%q,"usd":1}`, p.purse.Address)))
		if err != nil {
			return "", err
		}
		if a := w.send(r); a.ok() && json.Unmarshal(a.body, &p.held) == nil {
			break // it has more than a dollar when a call before was carried out without an answer
		}
		pause(ctx, time.Second)
	}
	for ctx.Err() == nil {
		a := w.pay(ctx, p)
		switch {
		case p.token != "":
			return p.token, nil
		case a.status == http.StatusPaymentRequired && p.signed == "":
			var err error
			if p.signed, err = p.purse.Pay(a.body, 0); err != nil {
				return "", err
			}
			w.till.mu.Lock()
			w.till.all = append(w.till.all, p)
			w.till.mu.Unlock()
		case a.status == http.StatusPaymentRequired:
			return "", fmt.Errorf("a payment is answered with %s", a)
		default:
			pause(ctx, time.Second)
		}
	}
	return "", ctx.Err()
}

// pay asks for a credit with the payment of a purchase, or for the terms when nothing is
// signed yet.
func (w *world) pay(ctx context.Context, p *purchase) answer {
	a := w.call(ctx, request{op: "buy_credit", from: p.from, header: [2]string{"X-PAYMENT", p.signed}})
	var credit struct{ Token string }
	if a.ok() && json.Unmarshal(a.body, &credit) == nil {
		p.token = credit.Token
	}
	return a
}

// reader searches, looks and plays.
func (w *world) reader(ctx context.Context) {
	words := []string{"news", "brasil", "tv", "radio", "noticias", "music"}
	for ctx.Err() == nil {
		id := w.channels[rand.IntN(len(w.channels))]
		w.call(ctx, request{op: "search_channels", query: "?limit=20&q=" + words[rand.IntN(len(words))]})
		w.call(ctx, request{op: "get_channel", id: id})
		w.page(ctx, w.stack.URL+"/en/channel/"+id)
		if len(w.streams) > 0 {
			w.page(ctx, w.streams[rand.IntN(len(w.streams))])
		}
		pause(ctx, 100*time.Millisecond)
	}
}

// page asks for what the OpenAPI document does not have: a page or a playlist. Failures of
// origins, which the sample's are, are the hop's 422.
func (w *world) page(ctx context.Context, url string) {
	a := w.get(ctx, url)
	switch a.status {
	case 0, http.StatusOK, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusPaymentRequired, http.StatusServiceUnavailable:
	default:
		if !a.edge {
			w.broken.add("undocumented answers", "%s: %s", url, a)
		}
	}
}

// blockTime is within how long a block holds at every instance.
const blockTime = 15 * time.Second

// operatorHeader is the header that shows the operator's token.
func (w *world) operatorHeader() [2]string { return [2]string{"Authorization", "Bearer " + w.token} }

// operator blocks a channel, checks that no instance shows it, and allows it again.
func (w *world) operator(ctx context.Context) {
	authorization := w.operatorHeader()
	for turn := 0; ctx.Err() == nil; turn++ {
		id := w.channels[10+turn%8]
		a := w.call(ctx, request{op: "add_block", body: fmt.Sprintf(`{"kind":"channel","value":%q,"reason":"chaos"}`, id), header: authorization})
		var block struct{ ID string }
		if !a.ok() || json.Unmarshal(a.body, &block) != nil {
			pause(ctx, time.Second)
			continue
		}
		w.blocked(ctx, id, time.Now())
		for ctx.Err() == nil {
			if a := w.call(ctx, request{op: "remove_block", id: block.ID, header: authorization}); a.ok() || a.status == http.StatusNotFound {
				break
			}
			pause(ctx, time.Second)
		}
	}
}

// blocked looks at every instance of the catalog for half a minute: from the time on at
// which the block must hold, none shows the channel.
func (w *world) blocked(ctx context.Context, id string, since time.Time) {
	for time.Since(since) < 2*blockTime && ctx.Err() == nil {
		all, err := w.instances()
		if err != nil {
			w.broken.add("instances", "%v", err)
			return
		}
		for _, i := range all {
			if i.Service != "catalog" {
				continue
			}
			asked := time.Now()
			a := w.get(ctx, "http://"+i.Address+strings.Replace(w.paths["get_channel"][1], "{id}", id, 1))
			well := time.UnixMilli(w.cutUntil.Load())
			if asked.Before(since.Add(blockTime)) || asked.Before(well.Add(blockTime)) {
				continue
			}
			switch a.status {
			case http.StatusNotFound:
				w.blocks.Add(1)
			case http.StatusOK:
				w.broken.add("blocks", "%s shows %s %s after it was blocked", i.Name, id, asked.Sub(since).Round(time.Second))
			}
		}
		pause(ctx, 500*time.Millisecond)
	}
}
