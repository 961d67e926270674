package catalog

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	youTubeVideo   = regexp.MustCompile(`^[A-Za-z0-9_-]{11}$`)
	youTubeChannel = regexp.MustCompile(`^UC[A-Za-z0-9_-]{22}$`)
)

// ParseYouTube parses the address of a live on the video platform: of a video,
// or of a channel, which stands for its current live. It accepts the watch,
// share, embed and live forms of the addresses, and reports false for every
// other URL.
func ParseYouTube(raw string) (YouTube, bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return YouTube{}, false
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") {
	case "youtu.be":
		return youTube(parts[0], "")
	case "youtube.com", "m.youtube.com", "youtube-nocookie.com":
		if parts[0] == "watch" {
			return youTube(u.Query().Get("v"), "")
		}
		if len(parts) < 2 {
			return YouTube{}, false
		}
		switch parts[0] {
		case "channel":
			return youTube("", parts[1])
		case "embed", "live", "v":
			if parts[1] == "live_stream" {
				return youTube("", u.Query().Get("channel"))
			}
			return youTube(parts[1], "")
		}
	}
	return YouTube{}, false
}

// youTube returns the addresses of a video or, when video is not a valid id, of
// a channel. It embeds from the domain that sets no cookies before playback.
func youTube(video, channel string) (YouTube, bool) {
	switch {
	case youTubeVideo.MatchString(video):
		return YouTube{
			Video: video,
			Embed: "https://www.youtube-nocookie.com/embed/" + video,
			Watch: "https://www.youtube.com/watch?v=" + video,
		}, true
	case youTubeChannel.MatchString(channel):
		return YouTube{
			Channel: channel,
			Embed:   "https://www.youtube-nocookie.com/embed/live_stream?channel=" + channel,
			Watch:   "https://www.youtube.com/channel/" + channel + "/live",
		}, true
	}
	return YouTube{}, false
}
