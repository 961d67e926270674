// Command deadletter puts a dead letter into the data of a local stack, as if every
// attempt to count a favorite had failed. The tests of the operator's page replay it:
// the bus itself takes minutes to give an event up.
package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"log"
	"path/filepath"
	"time"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/embedded"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store/embedded/sqlite"
)

func main() {
	data := flag.String("data", "", "folder of the stack's data")
	channel := flag.String("channel", "", "id of the channel")
	failure := flag.String("failure", "the channel is locked", "error of the last attempt")
	flag.Parse()
	log.SetFlags(0)
	id, err := run(*data, *channel, *failure)
	if err != nil {
		log.Fatalf("deadletter: %v", err)
	}
	fmt.Println(id)
}

// run adds the dead letter and returns its id.
func run(data, channel, failure string) (string, error) {
	event, err := fact.Encode(social.Favorite{Key: fact.NewKey(), Channel: channel, Delta: 1, At: time.Now()})
	if err != nil {
		return "", err
	}
	f, err := sqlite.Open(filepath.Join(data, "miramundo.db"))
	if err != nil {
		return "", err
	}
	b, err := embedded.On(f, social.Topology(), embedded.Options{})
	if err != nil {
		return "", err
	}
	id, now := rand.Text(), time.Now().UnixMicro()
	err = f.Write(context.Background(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec("INSERT INTO events (subscription, event, data, attributes, at, due, attempts, dead, failure) VALUES (?, ?, ?, '{}', ?, ?, ?, 1, ?)",
			social.Favorites, id, event.Data, now, now, bus.Patient.Attempts, failure)
		return err
	})
	if e := b.Close(); err == nil {
		err = e
	}
	return id, err
}
