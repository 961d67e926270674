package sitefiles

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/functions/web/poster"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// TestGallery checks which pictures are cached and which evicted.
func TestGallery(t *testing.T) {
	g, drawn := newGallery(), map[string]int{}
	get := func(key string) error {
		_, err := g.get(t.Context(), key, func() (api.Content, error) {
			drawn[key]++
			if key == "bad" {
				return api.Content{}, fault.ErrInternal
			}
			return api.Content{Data: make([]byte, galleryBytes/4)}, nil
		})
		return err
	}
	for _, key := range []string{"a", "b", "c", "d", "a", "e", "a", "b"} { // a is used, b makes room for e
		if err := get(key); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := get("bad"); err == nil {
			t.Error("a failure is kept")
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "b": 2, "c": 1, "d": 1, "e": 1, "bad": 2}, drawn); diff != "" || g.bytes > galleryBytes || len(g.byKey) != g.used.Len() {
		t.Errorf("%d bytes in %d; drawn (-want +got):\n%s", g.bytes, len(g.byKey), diff)
	}
}

// TestGalleryIsBounded checks that few pictures are drawn at a time, that callers
// whose context is done do not wait, and that callers are refused when too many
// wait.
func TestGalleryIsBounded(t *testing.T) {
	g := newGallery()
	release, started, answers := make(chan struct{}), make(chan struct{}), make(chan error)
	for i := range galleryWaiting {
		go func() {
			_, err := g.get(context.Background(), fmt.Sprint(i), func() (api.Content, error) {
				started <- struct{}{}
				<-release
				return api.Content{}, nil
			})
			answers <- err
		}()
	}
	for range galleryPainters {
		<-started
	}
	for len(g.waiting) < galleryWaiting { // each caller arrives by itself
		select {
		case <-started:
			t.Fatal("more are drawn than may be")
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := g.get(t.Context(), "late", nil); fault.From(err) != fault.ErrUnavailable {
		t.Errorf("a caller over the limit: %v", err)
	}
	close(release)
	for range galleryWaiting - galleryPainters {
		<-started
	}
	for range galleryWaiting {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	g.drawing <- struct{}{}
	g.drawing <- struct{}{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.get(gone, "gone", nil); fault.From(err).Kind != fault.Unavailable {
		t.Errorf("a caller whose context is done: %v", err)
	}
}

// TestBurstOfPictures checks that a crawler that requests the pictures of a hundred and
// ten channels at once gets all of them.
func TestBurstOfPictures(t *testing.T) {
	const burst = 110
	g, begin, answers := newGallery(), make(chan struct{}), make(chan error)
	for i := range burst {
		go func() {
			<-begin
			_, err := g.get(context.Background(), fmt.Sprint(i), func() (api.Content, error) {
				data, err := poster.Channel(poster.Subject{Name: fmt.Sprint("Channel ", i)})
				return api.Content{Data: data}, err
			})
			answers <- err
		}()
	}
	close(begin)
	for range burst {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if g.used.Len() != burst {
		t.Errorf("%d pictures are kept", g.used.Len())
	}
}
