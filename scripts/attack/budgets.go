package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"miramundo.dev/shared/budget"
)

// The attacks of this file try to make the service write more than the budgets of an owner
// and of a network allow, and to have a thing twice.

// testChannel is a channel of the sample catalog.
const testChannel = "MiramundoTest.br"

// newGuest returns the header that shows a new guest of a network.
func (t *target) newGuest(ctx context.Context, from string) ([2]string, error) {
	status, body, err := t.send(ctx, try{base: t.stack.URL, call: "create_guest", from: from})
	var made struct{ Token string }
	if err = errors.Join(err, json.Unmarshal(body, &made)); err != nil || status != http.StatusOK {
		return [2]string{}, fmt.Errorf("a guest is answered %d %s: %w", status, body, err)
	}
	return [2]string{"X-Guest-Token", made.Token}, nil
}

// repeat makes tries of one guest, one after the other, and compares how many were
// allowed with the allowance a of the guest.
func (t *target) repeat(ctx context.Context, tries int, a budget.Allowance, next func(n int) try) (r result, err error) {
	from := t.network()
	guest, err := t.newGuest(ctx, from)
	if err != nil {
		return r, err
	}
	start := time.Now()
	for n := range tries {
		y := next(n)
		y.base, y.from, y.header = t.stack.URL, from, guest
		status, body, err := t.send(ctx, y)
		if err != nil {
			return r, err
		}
		r.tried++
		switch {
		case status == http.StatusTooManyRequests:
			r.refused++
		case status >= 500:
			return r, fmt.Errorf("try %d is answered %d %s", n, status, body)
		}
	}
	most := a.AtOnce + a.Unasked + 1 + int(time.Since(start)/a.Every)
	if allowed := r.tried - r.refused; allowed > most {
		r.through = append(r.through, fmt.Sprintf("%d of %d calls were allowed, want at most %d", allowed, r.tried, most))
	}
	return r, nil
}

// writes returns an attack that writes the history or a favorite.
func writes(what string) func(context.Context, *target) (result, error) {
	return func(ctx context.Context, t *target) (result, error) {
		return t.repeat(ctx, t.tries(10_000, 1_000), budget.Writes.Owner, func(n int) try {
			body := fmt.Sprintf(`{"channel_id":%q}`, testChannel)
			switch {
			case what == "history":
				return try{call: "add_to_history", body: body}
			case n%2 == 0:
				return try{call: "add_favorite", body: body}
			}
			return try{call: "remove_favorite", id: testChannel}
		})
	}
}

func rotations(ctx context.Context, t *target) (result, error) {
	return t.repeat(ctx, t.tries(2_000, 100), budget.Rotations.Owner, func(int) try { return try{call: "replace_feed_token"} })
}

func imports(ctx context.Context, t *target) (result, error) {
	return t.repeat(ctx, t.tries(2_000, 100), budget.Imports.Owner, func(int) try {
		return try{call: "import_into_library", body: `{"categories":[{"name":"A"}]}`}
	})
}

// doubles adds one channel to one sub-tab on eight connections.
func doubles(ctx context.Context, t *target) (r result, err error) {
	from := t.network()
	guest, err := t.newGuest(ctx, from)
	if err != nil {
		return r, err
	}
	_, body, err := t.send(ctx, try{base: t.stack.URL, call: "create_folder", body: `{"name":"TV"}`, from: from, header: guest})
	var made struct {
		GroupID string `json:"group_id"`
	}
	if err = errors.Join(err, json.Unmarshal(body, &made)); err != nil {
		return r, err
	}
	item := fmt.Sprintf(`{"group_id":%q,"channel_id":%q}`, made.GroupID, testChannel)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range t.tries(50, 10) {
				_, _, failed := t.send(ctx, try{base: t.stack.URL, call: "add_item", body: item, from: from, header: guest})
				mu.Lock()
				r.tried, err = r.tried+1, errors.Join(err, failed)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	_, body, failed := t.send(ctx, try{base: t.stack.URL, call: "get_library", from: from, header: guest})
	if err := errors.Join(err, failed); err != nil {
		return r, err
	}
	items := strings.Count(string(body), `"id":"itm_`)
	r.refused = r.tried - items
	if items != 1 {
		r.through = append(r.through, fmt.Sprintf("the sub-tab has %d items", items))
	}
	return r, nil
}

// guests makes guests of one network at two instances of the function.
func guests(ctx context.Context, t *target) (r result, err error) {
	var instances []string
	for n := range 2 {
		url, err := t.function(ctx, "guest", n)
		if err != nil {
			return r, err
		}
		instances = append(instances, url)
	}
	from, start := t.network(), time.Now()
	for n := range t.tries(1_000, 60) {
		status, body, err := t.send(ctx, try{base: instances[n%2], call: "create_guest", from: from})
		if err != nil {
			return r, err
		}
		r.tried++
		if status == http.StatusTooManyRequests {
			r.refused++
		} else if status != http.StatusOK {
			return r, fmt.Errorf("guest %d is answered %d %s", n, status, body)
		}
	}
	a := budget.Guests.Network
	if made, most := r.tried-r.refused, a.AtOnce+int(time.Since(start)/a.Every); made > most {
		r.through = append(r.through, fmt.Sprintf("%d guests of one network were made, want at most %d", made, most))
	}
	return r, nil
}
