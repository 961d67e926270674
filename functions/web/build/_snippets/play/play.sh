base=http://127.0.0.1:8787
channel=$(curl -s "$base/api/channels?sort=score&limit=1" | jq -r '.items[0].id')

# Streams come best first. A player opens play_url; mpv "$play" shows it at once.
play=$(curl -s "$base/api/channels/$channel" | jq -r '.streams[0].play_url')

echo "$play"
curl -s "$play"
