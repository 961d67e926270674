package layout

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/layout/posting"
	"miramundo.dev/shared/catalog/snapshot"
)

// maxAliases is how many renames of one id are followed.
const maxAliases = 8

// Resolve returns the record that has an id or that took its place.
func (ix *Index) Resolve(id string) (uint32, bool) {
	for range maxAliases {
		if doc, ok := ix.Find(id); ok {
			return doc, true
		}
		next, ok := ix.channelTo.next(id)
		if !ok {
			break
		}
		id = next
	}
	return 0, false
}

// ResolveStream returns the stream that has an id or that took its place.
func (ix *Index) ResolveStream(id string) (uint32, bool) {
	for range maxAliases {
		if known, ok := catalog.ParseStreamID(id); ok {
			if i, ok := ix.Streams.Find(known); ok {
				return i, true
			}
		}
		next, ok := ix.streamTo.next(id)
		if !ok {
			break
		}
		id = next
	}
	return 0, false
}

// aliases lead from ids that were once published to those that took their
// place.
type aliases struct {
	texts snapshot.Texts // from, to, and so on
	from  posting.Table
}

func newAliases(t *snapshot.Texts) aliases {
	a := aliases{texts: *t}
	a.from = posting.TableOf(t.Len()/snapshot.AliasWidth, a.key)
	return a
}

func (a *aliases) key(i uint32) []byte { return a.texts.At(i * snapshot.AliasWidth) }

// next returns where id leads.
func (a *aliases) next(id string) (string, bool) {
	i, ok := a.from.Find([]byte(id), a.key)
	if !ok {
		return "", false
	}
	return string(a.texts.At(i*snapshot.AliasWidth + 1)), true
}

// all returns where each id leads.
func (a *aliases) all() map[string]string {
	m := make(map[string]string, a.texts.Len()/snapshot.AliasWidth)
	for i := range uint32(a.texts.Len() / snapshot.AliasWidth) {
		m[string(a.key(i))] = string(a.texts.At(i*snapshot.AliasWidth + 1))
	}
	return m
}

// Aliases returns where ids that were once published lead: of channels, and of
// streams.
func (ix *Index) Aliases() (channels, streams map[string]string) {
	return ix.channelTo.all(), ix.streamTo.all()
}
