package social

import "iter"

// Verdicts on a country are made of all channels at once, and again whenever a count
// changes. So an overlay keeps, of each country that it is asked for, which channels of
// each shard it agrees on: a changed shard is gone through again, and the others are not.

// An agreedKey names the agreements of a country in a shard.
type agreedKey struct {
	shard   int
	country string
}

// Agreements are what a country agrees on, of the channels of a shard whose bytes have a
// hash.
type agreements struct {
	hash uint64
	list []agreement
}

type agreement struct {
	channel string
	Agreed
}

// AgreedIn yields the channels of which the networks of a country have agreed that they
// play or fail there, and on which days. The country must be an existing one: what it
// agrees on is kept as long as the overlay.
func (o *Overlay) AgreedIn(country string) iter.Seq2[string, Agreed] {
	return func(yield func(string, Agreed) bool) {
		if o == nil {
			return
		}
		for n := range o.shards {
			for _, a := range o.agreements(n, country) {
				if !yield(a.channel, a.Agreed) {
					return
				}
			}
		}
	}
}

// agreements returns what a country agrees on of the channels of shard n.
func (o *Overlay) agreements(n int, country string) []agreement {
	hash := o.hashes[n].Load() // before the shard, so that the hash is never newer than the list
	key := agreedKey{n, country}
	if kept, ok := o.agreed.Load(key); ok && kept.(agreements).hash == hash {
		return kept.(agreements).list
	}
	shard := o.shards[n].Load()
	if shard == nil {
		return nil
	}
	var list []agreement
	for channel, c := range *shard {
		if a, ok := c.Heard.Agreed[country]; ok {
			list = append(list, agreement{channel, a})
		}
	}
	o.agreed.Store(key, agreements{hash, list})
	return list
}
