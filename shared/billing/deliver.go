package billing

import (
	"encoding/base64"
	"errors"
	"time"

	"miramundo.dev/shared/billing/credit"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store"
)

// A sold is something that is sold within a transaction.
type sold struct {
	item     price.Item
	order    order
	now      time.Time
	purchase *Purchase
	token    string // of the credit that was bought
}

// goods are what a sale gives, after everything that it depends on was read.
type goods struct {
	valid time.Time            // until when the buyer has it already; zero when that does not matter
	write func(store.Tx) error // completes the purchase, and stores what it gives
}

// deliveries are what each kind of product gives. A delivery reads only, because all
// reads of a transaction come before its writes.
var deliveries = map[price.Kind]func(*sold, store.Tx) (goods, error){
	price.Chat:    (*sold).chatPass,
	price.Network: (*sold).networkPass,
	price.Send:    (*sold).contact,
	price.Credit:  (*sold).credit,
}

// prepare reads what the sale needs. The write of its goods stores the purchase in the
// register and in the list of its owner too.
func (s *sold) prepare(tx store.Tx) (g goods, err error) {
	var list List
	if s.order.Owner != "" {
		if err := orNone(tx.Get(ListPath(s.order.Owner), &list)); err != nil {
			return g, err
		}
	}
	if g, err = deliveries[s.item.Kind](s, tx); err != nil {
		return g, err
	}
	give := g.write
	g.write = func(tx store.Tx) error {
		if err := give(tx); err != nil {
			return err
		}
		err := tx.Create(PurchasePath(s.purchase.ID), s.purchase)
		if s.order.Owner != "" {
			list.add(*s.purchase)
			err = errors.Join(err, tx.Set(ListPath(s.order.Owner), list))
		}
		return err
	}
	return g, nil
}

// chatPass extends the chat pass of the owner. A pass that is valid already, because
// the owner paid twice at once, is extended too: both payments were made.
func (s *sold) chatPass(tx store.Tx) (g goods, err error) {
	passes, err := pass.In(tx, s.order.Owner)
	if until, valid := passes.Chat(s.now); valid {
		g.valid = until
	}
	g.write = func(tx store.Tx) error {
		s.purchase.Until = store.At(passes.ExtendChat(s.now))
		return tx.Set(pass.Path(s.order.Owner), passes)
	}
	return g, err
}

// networkPass extends the pass of a network, and lists it among the passes of the
// owner.
func (s *sold) networkPass(tx store.Tx) (g goods, err error) {
	var network pass.NetworkPass
	if err := orNone(tx.Get(pass.NetworkPath(s.order.Network), &network)); err != nil {
		return g, err
	}
	if network.Until.After(s.now) {
		g.valid = network.Until.Time
	}
	var passes pass.Passes
	if s.order.Owner != "" {
		passes, err = pass.In(tx, s.order.Owner)
	}
	g.write = func(tx store.Tx) error {
		until := network.ExtendNetwork(s.now, s.item.Days)
		s.purchase.Until = store.At(until)
		if err := tx.Set(pass.NetworkPath(s.order.Network), network); err != nil || s.order.Owner == "" {
			return err
		}
		passes.Note(s.order.Network, until, s.now)
		return tx.Set(pass.Path(s.order.Owner), passes)
	}
	return g, err
}

// credit tops up a credit, or makes a new one.
func (s *sold) credit(tx store.Tx) (g goods, err error) {
	if s.token = s.order.Credit; s.token == "" {
		s.token = credit.NewToken()
	}
	c, err := credit.Read(tx, s.token)
	g.write = func(tx store.Tx) error {
		return c.Add(tx, s.item.Amount, s.item.Product, s.purchase.ID, s.now)
	}
	return g, err
}

// contact puts a message in the queue of the messages to the operator.
func (s *sold) contact(store.Tx) (g goods, err error) {
	data, err := base64.StdEncoding.DecodeString(s.order.Data)
	g.write = func(tx store.Tx) error {
		c := &Contact{
			Payer: s.purchase.Payer, At: store.At(s.now),
			DueAt: store.At(s.now.Add(contactGrace)), ExpireAt: store.At(s.now.Add(keepContact)),
		}
		c.SetMessage(data)
		return tx.Create(ContactPath(s.purchase.ID), c)
	}
	return g, err
}

const (
	// contactGrace is how long a message is left to the call that paid for it, before
	// the job takes it up.
	contactGrace = time.Minute
	// keepContact is how long a message that nobody can send is kept.
	keepContact = 90 * 24 * time.Hour
)

// Contacts is the collection of the paid messages that wait to be sent. Their sender
// deletes each of them once it is sent.
const Contacts = store.Path("contacts")

// ContactPath returns where the message of a purchase is.
func ContactPath(purchase string) store.Path { return Contacts.Join(purchase) }

// A Contact is a paid message to the operator. Fields may be added.
type Contact struct {
	Text  string     `json:"text"`  // what SetMessage was given, in base64; stored sealed
	Payer string     `json:"payer"` // address; empty when a credit paid
	At    store.Time `json:"at"`

	// The fields of the sender: see package contact.
	DueAt     store.Time `json:"due_at"`     // when the job takes it up
	BusyUntil store.Time `json:"busy_until"` // an attempt may run until then
	Attempts  int        `json:"attempts"`
	ExpireAt  store.Time `json:"expire_at"`
}

// Secrets implements sealed.Document.
func (c *Contact) Secrets() []*string { return []*string{&c.Text} }

// SetMessage sets the message, the Data of its order.
func (c *Contact) SetMessage(data []byte) { c.Text = base64.StdEncoding.EncodeToString(data) }

// Message returns the Data of the order.
func (c *Contact) Message() ([]byte, error) { return base64.StdEncoding.DecodeString(c.Text) }
