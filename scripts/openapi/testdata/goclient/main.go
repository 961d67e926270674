// Command goclient goes from a search to a feed with the client that oapi-codegen
// generates into package client.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"miramundo.dev/scripts/openapi/testdata/goclient/client"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, base string) error {
	c, err := client.NewClientWithResponses(base)
	if err != nil {
		return err
	}
	limit, kind := 5, client.SearchChannelsParamsKind("all")
	found, err := c.SearchChannelsWithResponse(ctx, &client.SearchChannelsParams{Kind: &kind, Limit: &limit})
	if err != nil || found.JSON200 == nil {
		return fmt.Errorf("search: %v %s", err, found.Body)
	}
	channel := found.JSON200.Items[0]
	guest, err := c.CreateGuestWithResponse(ctx)
	if err != nil || guest.JSON200 == nil {
		return fmt.Errorf("guest: %v", err)
	}
	as := func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-Guest-Token", guest.JSON200.Token)
		return nil
	}
	folder, err := c.CreateFolderWithResponse(ctx, client.CreateFolderJSONRequestBody{Name: "News"}, as)
	if err != nil || folder.JSON200 == nil {
		return fmt.Errorf("folder: %v", err)
	}
	item := client.AddItemJSONRequestBody{GroupId: folder.JSON200.GroupId, ChannelId: channel.Id}
	added, err := c.AddItemWithResponse(ctx, item, as)
	if err != nil || added.JSON200 == nil {
		return fmt.Errorf("item: %v", err)
	}
	parts := strings.Split(added.JSON200.Feeds.M3u, "/")
	feed, err := c.GetLibraryFeedM3uWithResponse(ctx, parts[len(parts)-2])
	if err != nil || !strings.HasPrefix(string(feed.Body), "#EXTM3U") || !strings.Contains(string(feed.Body), channel.Name) {
		return fmt.Errorf("feed: %v %s", err, feed.Body)
	}
	fmt.Println(channel.Name, "is in the feed")
	return nil
}
