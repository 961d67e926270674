package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
)

const base = "http://127.0.0.1:8787"

func main() {
	answer, err := http.Get(base + "/api/channels?q=news&sort=relevance&limit=5")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	var page struct {
		Items []struct{ ID, Name, Country string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		log.Fatal(err)
	}
	for _, channel := range page.Items {
		fmt.Println(channel.ID, channel.Name, channel.Country)
	}
}
