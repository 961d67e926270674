package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"miramundo.dev/scripts/scale/world"
	"miramundo.dev/shared/catalog"
)

// A person is a guest, at an address of its own.
type person struct {
	address string
	token   string
	feed    string // address of the library as a playlist; empty for people without a folder
}

// A crowd makes the requests of people.
type crowd struct {
	client   *http.Client
	base     string
	people   []person
	channels []string // ids
	words    []string // of names of channels
	master   string   // address of the test channel's playlist at the hop
	media    string   // address of the playlist that its players reload
}

// testChannel is the channel that the stack plays itself.
const testChannel = "MiramundoTest.br"

// The headers of a browser.
const (
	browser   = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
	encodings = "gzip, deflate, br, zstd"
)

// gather makes guests of some people, finds channels, and opens the test channel.
func gather(ctx context.Context, base string, people int) (*crowd, error) {
	c := &crowd{base: base, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: senders, DisableCompression: true}}}
	if err := errors.Join(c.findChannels(ctx), c.openStream(ctx)); err != nil {
		return nil, err
	}
	for i := range people {
		p := person{address: fmt.Sprintf("198.%d.%d.%d", 18+i>>16, i>>8&255, i&255)}
		var guest struct{ Token string }
		if err := c.call(ctx, "guest", p, "", &guest); err != nil {
			return nil, err
		}
		p.token = guest.Token
		var library struct{ Feeds struct{ M3U string } }
		if err := c.call(ctx, "folder", p, `{"name":"First"}`, &library); err != nil {
			return nil, err
		}
		p.feed = library.Feeds.M3U
		c.people = append(c.people, p)
	}
	return c, nil
}

// leastChannels is how many channels people need, so that nobody does the same twice.
const leastChannels = 20

// findChannels finds channels and words of their names.
func (c *crowd) findChannels(ctx context.Context) error {
	var page struct {
		Items []struct{ ID, Name string }
	}
	const pages, size = 5, 100
	for i := range pages {
		at := fmt.Sprintf("%s%s?kind=all&limit=%d&offset=%d", c.base, catalog.ChannelsPath, size, i*size)
		if err := c.read(ctx, http.MethodGet, at, person{}, "", &page); err != nil {
			return err
		}
		for _, it := range page.Items {
			c.channels = append(c.channels, it.ID)
			c.words = append(c.words, strings.Fields(it.Name)...)
		}
	}
	if len(c.channels) < leastChannels || len(c.words) == 0 {
		return fmt.Errorf("the catalog has %d channels, want at least %d", len(c.channels), leastChannels)
	}
	return nil
}

// openStream finds the playlists of the test channel.
func (c *crowd) openStream(ctx context.Context) error {
	var channel struct {
		PlayURL string `json:"play_url"`
		Streams []struct {
			PlayURL string `json:"play_url"`
		}
	}
	if err := c.read(ctx, http.MethodGet, c.base+catalog.ChannelsPath+"/"+testChannel, person{}, "", &channel); err != nil {
		return err
	}
	c.master = channel.PlayURL
	if c.master == "" && len(channel.Streams) > 0 {
		c.master = channel.Streams[0].PlayURL
	}
	base, err := url.Parse(c.master)
	if err != nil || c.master == "" {
		return fmt.Errorf("the test channel has no address at the hop: %q", c.master)
	}
	body, err := c.get(ctx, http.MethodGet, c.master, person{}, "")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(body)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			media, err := base.Parse(line)
			if err != nil {
				return err
			}
			c.media = media.String()
			return nil
		}
	}
	return errors.New("the playlist of the test channel names no other")
}

// call makes a call of a person that names no channel, and decodes its answer.
func (c *crowd) call(ctx context.Context, name string, p person, body string, into any) error {
	method, path, err := route(name)
	if err != nil {
		return err
	}
	return c.read(ctx, method, c.base+path, p, body, into)
}

// read makes a request and decodes its answer.
func (c *crowd) read(ctx context.Context, method, address string, p person, body string, into any) error {
	data, err := c.get(ctx, method, address, p, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s %s: %w", method, address, err)
	}
	return nil
}

// maxAnswer bounds an answer.
const maxAnswer = 8 << 20

func (c *crowd) get(ctx context.Context, method, address string, p person, body string) ([]byte, error) {
	r, err := request(ctx, method, address, p, body)
	if err != nil {
		return nil, err
	}
	res, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil || res.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s %s is answered with %d, %w: %.300s", method, address, res.StatusCode, err, data)
	}
	return data, nil
}

// request returns a request of a person, as a browser sends it.
func request(ctx context.Context, method, address string, p person, body string) (*http.Request, error) {
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", browser)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.address != "" {
		r.Header.Set(addressHeader, p.address)
	}
	if p.token != "" {
		r.Header.Set("X-Guest-Token", p.token)
	}
	return r, nil
}

// send makes the request of a step and reads the whole answer.
func (c *crowd) send(ctx context.Context, s step) error {
	method, address, body, err := c.write(s)
	if err != nil {
		return err
	}
	p := c.people[s.person]
	if s.call == "guest" {
		p.token = ""
	}
	r, err := request(ctx, method, address, p, body)
	if err != nil {
		return err
	}
	r.Header.Set("Accept-Encoding", encodings)
	res, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s: %s %s is answered with %d", s.call, method, address, res.StatusCode)
	}
	return nil
}

// What requests have besides the path of their route: queries, and bodies by the id of a
// channel and the number of the call among those of its person.
var (
	queries = map[string]string{"results": "q=", "search": "limit=20&q=", "facets": "kind=all", "guide": "country=BR"}
	bodies  = map[string]func(id string, n int) string{
		"history":  about,
		"favorite": about,
		"folder":   func(_ string, n int) string { return fmt.Sprintf(`{"name":"Folder %d"}`, n) },
		"guest":    func(string, int) string { return "" },
		"report":   func(id string, _ int) string { return fmt.Sprintf(`{"channel_id":%q,"ok":true}`, id) },
		"visit":    func(string, int) string { return "{}" },
	}
)

// about is the body of a call that names a channel.
func about(id string, _ int) string { return fmt.Sprintf(`{"channel_id":%q}`, id) }

// write returns what the request of a step is.
func (c *crowd) write(s step) (method, address, body string, err error) {
	id := c.channels[s.channel%len(c.channels)]
	method, path, err := route(s.call)
	if err != nil {
		return "", "", "", err
	}
	if of := bodies[s.call]; of != nil {
		body = of(id, s.n)
	}
	switch {
	case s.call == world.Playlist && s.n == 0:
		return method, c.master, "", nil
	case s.call == world.Playlist:
		return method, c.media, "", nil
	case s.call == "feed":
		return method, c.people[s.person].feed, "", nil
	}
	address = c.base + strings.NewReplacer("{id}", id, "{channel_id}", id).Replace(path)
	if query := queries[s.call]; query != "" {
		if strings.HasSuffix(query, "q=") {
			query += url.QueryEscape(c.words[(s.channel*7+s.n)%len(c.words)])
		}
		address += "?" + query
	}
	return method, address, body, nil
}

// route returns the method and the path of a kind of call.
func route(call string) (method, path string, err error) {
	for _, c := range world.Calls {
		if c.Name == call {
			method, path, _ = strings.Cut(c.Route, " ")
			return method, path, nil
		}
	}
	return "", "", fmt.Errorf("no call is named %s", call)
}
