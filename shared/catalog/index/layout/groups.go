package layout

import "miramundo.dev/shared/catalog/snapshot"

// Groups are the values that records share: a record has one row of each table
// but the last, which has the sounds of stations.
type Groups struct {
	Topics, Tongues, Houses, Pasts, Feeds, States, Sounds snapshot.Table
}
