package social

import "hash/fnv"

// Shards is how many documents the overlay has.
const Shards = 64

// ShardOf returns the number of the shard that holds a channel.
func ShardOf(channel string) int {
	h := fnv.New32a()
	h.Write([]byte(channel))
	return int(h.Sum32() % Shards)
}
