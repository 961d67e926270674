package library

import (
	"encoding/json"
	"slices"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
)

// ErrBackup means that an uploaded text is not a valid backup or list. Its field
// reason says why.
var ErrBackup = fault.New(fault.Invalid, "invalid_import")

// BackupVersion is the version of the form in which backups are written.
const BackupVersion = 1

// A Backup is the content of a library without ids and tokens. It can be restored
// into the same library or another one. The JSON of a library, as the API returns
// it, is a valid backup too.
type Backup struct {
	Version    int              `json:"v" description:"Version of the document's format: 1."`
	ExportedAt string           `json:"exported_at" format:"date-time" description:"Time of the export, in UTC."`
	Categories []BackupCategory `json:"categories" nullable:"false" description:"Folders, in their order."`

	Public    *BackupPublic    `json:"public,omitempty" description:"Public library of the owner; absent for none. An import leaves it out."`
	Following []BackupFollowed `json:"following,omitempty" nullable:"false" description:"Public libraries and folders that the owner follows. An import leaves them out."`
}

// A BackupPublic is what the owner publishes, in a backup: see package public.
type BackupPublic struct {
	Name    string   `json:"name" description:"Name in the addresses of the public library."`
	Title   string   `json:"title" description:"Title of the public library."`
	About   string   `json:"about" description:"Description of the public library; may be empty."`
	Author  string   `json:"author" description:"Name that is shown; empty for an anonymous library."`
	Listed  bool     `json:"listed" description:"Whether search engines may show its page."`
	Hidden  string   `json:"hidden,omitempty" description:"Reason for which the operator hid it; absent otherwise."`
	Folders []string `json:"folders" nullable:"false" description:"Slugs of the folders that are public."`
}

// A BackupFollowed is a public library that the owner follows, in a backup: see package
// follow.
type BackupFollowed struct {
	Library string `json:"library" description:"Name of the public library when it was followed."`
	Whole   bool   `json:"whole" description:"False when one folder of it is followed."`
	Since   string `json:"since" format:"date-time" description:"Time at which it was followed."`
}

// A BackupCategory is a folder in a backup.
type BackupCategory struct {
	Name   string        `json:"name"`
	Slug   string        `json:"slug"`
	Groups []BackupGroup `json:"groups" nullable:"false" description:"Sub-tabs, in their order."`
}

// A BackupGroup is a sub-tab in a backup.
type BackupGroup struct {
	Name  string       `json:"name"`
	Slug  string       `json:"slug"`
	Last  bool         `json:"last,omitempty" description:"True for the sub-tab with the last played item of the folder."`
	Items []BackupItem `json:"items" nullable:"false" description:"Channels, in their order."`
}

// A BackupItem is an item in a backup.
type BackupItem struct {
	Channel string  `json:"channel_id"`
	Stream  *string `json:"stream_id" description:"The pinned stream; null for the best one."`
	Name    string  `json:"name" description:"Name of the channel when it was added."`
	Kind    string  `json:"kind" enum:"tv,radio"`
	Country *string `json:"country"`
	Played  *string `json:"last_played_at" format:"date-time"`
	Last    bool    `json:"last,omitempty" description:"True for the item of the sub-tab that was played last."`
}

// Backup returns a backup of l that says it was made at a time.
func (l *Library) Backup(at time.Time) *Backup {
	b := &Backup{Version: BackupVersion, ExportedAt: at.UTC().Format(time.RFC3339), Categories: []BackupCategory{}}
	for _, c := range l.Categories {
		out := BackupCategory{Name: c.Name, Slug: c.Slug, Groups: []BackupGroup{}}
		for _, g := range c.Groups {
			out.Groups = append(out.Groups, g.backup(g.ID == c.LastGroup))
		}
		b.Categories = append(b.Categories, out)
	}
	return b
}

func (g *Group) backup(last bool) BackupGroup {
	out := BackupGroup{Name: g.Name, Slug: g.Slug, Last: last, Items: []BackupItem{}}
	for i := range g.Items {
		it := &g.Items[i]
		out.Items = append(out.Items, BackupItem{
			Channel: it.Channel, Stream: catalog.TextOrNil(it.Stream), Name: it.Name, Kind: it.Kind().String(),
			Country: catalog.TextOrNil(it.Country), Played: it.PlayedAt(), Last: it.ID == g.LastItem,
		})
	}
	return out
}

// PlayedAt returns when the item was last played, in RFC 3339, or nil when it never
// was.
func (it *Item) PlayedAt() *string {
	if it.Played == 0 {
		return nil
	}
	return catalog.TextOrNil(time.Unix(it.Played, 0).UTC().Format(time.RFC3339))
}

// ParseBackup parses the JSON of a Backup. Its error is ErrBackup.
func ParseBackup(data []byte) (*Backup, error) {
	var b Backup
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, ErrBackup.With("reason", "syntax").Because(err)
	}
	if b.Version < 0 || b.Version > BackupVersion {
		return nil, ErrBackup.With("reason", "version")
	}
	if len(b.Categories) == 0 {
		return nil, ErrBackup.With("reason", "empty")
	}
	if len(b.Categories) > maxParts || b.parts() > maxParts {
		return nil, ErrBackup.With("reason", "too_many").With("bound", maxParts)
	}
	return &b, nil
}

// maxParts is how many folders, sub-tabs and items a backup may have together:
// more than a library.
const maxParts = 5000

func (b *Backup) parts() (n int) {
	for _, c := range b.Categories {
		n += 1 + len(c.Groups)
		for _, g := range c.Groups {
			n += len(g.Items)
		}
	}
	return n
}

// Plan returns the folders to pass to Merge in order to restore b. It calls find
// with each item and its number in the backup, from 1; find returns the item as
// the catalog has it now, and items that it does not find are left out.
func (b *Backup) Plan(now time.Time, find func(n int, it *BackupItem) (Item, bool)) []Category {
	var plan []Category
	n := 0
	for i := range b.Categories {
		from := &b.Categories[i]
		c := Category{Name: from.Name, Slug: from.Slug}
		for k := range from.Groups {
			g := Group{ID: newID(groupPrefix), Name: from.Groups[k].Name, Slug: from.Groups[k].Slug}
			if from.Groups[k].Last {
				c.LastGroup = g.ID
			}
			g.take(from.Groups[k].Items, &n, now, find)
			c.Groups = append(c.Groups, g)
		}
		plan = append(plan, c)
	}
	return plan
}

// take adds the items of a backup that find returns.
func (g *Group) take(list []BackupItem, n *int, now time.Time, find func(int, *BackupItem) (Item, bool)) {
	for i := range list {
		*n++
		it, ok := find(*n, &list[i])
		if !ok {
			continue
		}
		it.ID = newID(itemPrefix)
		it.Played = playedBefore(list[i].Played, now)
		if list[i].Last {
			g.LastItem = it.ID
		}
		g.Items = append(g.Items, it)
	}
}

// playedBefore parses a time as Unix seconds, and returns 0 when there is none or it
// is after now.
func playedBefore(text *string, now time.Time) int64 {
	if text == nil {
		return 0
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil || at.After(now) {
		return 0
	}
	return max(at.Unix(), 0)
}

// ItemOf returns an item that shows a channel.
func ItemOf(channel, name string, kind catalog.Kind, country string) Item {
	return Item{Channel: channel, Name: name, Radio: kind == catalog.Station, Country: country}
}

// Clear removes all folders.
func (l *Library) Clear() { l.Categories = slices.Delete(l.Categories, 0, len(l.Categories)) }
