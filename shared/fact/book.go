package fact

import (
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/store"
)

// A Document is what a book keeps of a subject: a pointer to a struct that
// embeds a [Ledger].
type Document interface{ ledger() *Ledger }

// A Book is a collection of documents in which facts are counted.
type Book[D Document] struct {
	Collection store.Path
	New        func(subject string) D // the document of a subject without facts
	Kinds      []Kind[D]
}

// A Kind is one kind of facts: where its events come from, and what they do.
// Apply must come to the same document in whatever order facts are applied.
type Kind[D Document] struct {
	Topic        string
	Subscription string
	Decode       func(bus.Event) (Fact, error)
	Apply        func(D, Fact)
}

// Of returns the kind of the facts of type F, published to a topic with one
// subscription of the same name.
func Of[F Fact, D Document](topic string, apply func(D, F)) Kind[D] {
	return Kind[D]{
		Topic: topic, Subscription: topic,
		Decode: func(e bus.Event) (Fact, error) { return Decode[F](e) },
		Apply:  func(doc D, f Fact) { apply(doc, f.(F)) },
	}
}

// Topology returns the topics of b with their subscriptions.
func (b Book[D]) Topology() bus.Topology {
	t := bus.Topology{}
	for _, k := range b.Kinds {
		t[k.Topic] = append(t[k.Topic], k.Subscription)
	}
	return t
}

// Path returns where the document of a subject is.
func (b Book[D]) Path(subject string) store.Path { return b.Collection.Join(subject) }

// kind returns the kind of a subscription's events, or bus.ErrSubscription.
func (b Book[D]) kind(subscription string) (Kind[D], error) {
	for _, k := range b.Kinds {
		if k.Subscription == subscription {
			return k, nil
		}
	}
	return Kind[D]{}, bus.ErrSubscription.With("subscription", subscription)
}
