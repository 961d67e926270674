package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

const base = "http://127.0.0.1:8787"

// call sends a body to a path, and decodes the answer into out.
func call(method, path, token string, body, out any) {
	data, err := json.Marshal(body)
	if err != nil {
		log.Fatal(err)
	}
	r, err := http.NewRequest(method, base+path, bytes.NewReader(data))
	if err != nil {
		log.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("X-Guest-Token", token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 400 {
		log.Fatal(path, ": ", answer.Status)
	}
	if err := json.NewDecoder(answer.Body).Decode(out); err != nil {
		log.Fatal(err)
	}
}

func main() {
	var found struct{ Items []struct{ ID string } }
	call("GET", "/api/channels?sort=score&limit=1", "", nil, &found)

	// The token is the only key to the library: keep it.
	var guest struct{ Token string }
	call("POST", "/api/guest", "", struct{}{}, &guest)

	var folder struct {
		Group string `json:"group_id"`
	}
	call("POST", "/api/categories", guest.Token, map[string]string{"name": "My channels"}, &folder)

	var library struct{ Feeds struct{ M3U string } }
	item := map[string]string{"group_id": folder.Group, "channel_id": found.Items[0].ID}
	call("POST", "/api/items", guest.Token, item, &library)

	fmt.Println(library.Feeds.M3U)
	feed, err := http.Get(library.Feeds.M3U)
	if err != nil {
		log.Fatal(err)
	}
	defer feed.Body.Close()
	if _, err := io.Copy(os.Stdout, feed.Body); err != nil {
		log.Fatal(err)
	}
}
