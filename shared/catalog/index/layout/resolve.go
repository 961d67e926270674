package layout

import "miramundo.dev/shared/catalog"

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
