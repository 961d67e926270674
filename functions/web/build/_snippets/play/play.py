import json
from urllib.request import urlopen

base = "http://127.0.0.1:8787"

with urlopen(f"{base}/api/channels?sort=score&limit=1") as answer:
    channel = json.load(answer)["items"][0]["id"]

# Streams come best first. A player opens play_url.
with urlopen(f"{base}/api/channels/{channel}") as answer:
    play = json.load(answer)["streams"][0]["play_url"]

print(play)
print(urlopen(play).read().decode())
