base=http://127.0.0.1:8787
channel=$(curl -s "$base/api/channels?sort=score&limit=1" | jq -r '.items[0].id')

# The token is the only key to the library: keep it.
token=$(curl -s -X POST "$base/api/guest" | jq -r .token)

# send PATH JSON posts to the guest's library.
send() {
  curl -s "$base$1" -H "X-Guest-Token: $token" -H 'Content-Type: application/json' -d "$2"
}

group=$(send /api/categories '{"name": "My channels"}' | jq -r .group_id)
feed=$(send /api/items "{\"group_id\": \"$group\", \"channel_id\": \"$channel\"}" | jq -r .feeds.m3u)

echo "$feed"
curl -s "$feed"
