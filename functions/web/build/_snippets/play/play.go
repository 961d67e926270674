package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

const base = "http://127.0.0.1:8787"

// get decodes the answer of a path into out.
func get(path string, out any) {
	answer, err := http.Get(base + path)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(out); err != nil {
		log.Fatal(err)
	}
}

func main() {
	var found struct{ Items []struct{ ID string } }
	get("/api/channels?sort=score&limit=1", &found)

	// Streams come best first. A player opens play_url.
	var channel struct {
		Streams []struct {
			Play string `json:"play_url"`
		}
	}
	get("/api/channels/"+found.Items[0].ID, &channel)
	play := channel.Streams[0].Play

	fmt.Println(play)
	playlist, err := http.Get(play)
	if err != nil {
		log.Fatal(err)
	}
	defer playlist.Body.Close()
	if _, err := io.Copy(os.Stdout, playlist.Body); err != nil {
		log.Fatal(err)
	}
}
