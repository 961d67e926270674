import json
from urllib.request import Request, urlopen

base = "http://127.0.0.1:8787"


def call(path, body=None, **headers):
    """Gets a path, or posts a body to it, and returns the answer's JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers["Content-Type"] = "application/json"
    with urlopen(Request(base + path, data, headers)) as answer:
        return json.load(answer)


channel = call("/api/channels?sort=score&limit=1")["items"][0]

# The token is the only key to the library: keep it.
guest = {"X-Guest-Token": call("/api/guest", {})["token"]}

group = call("/api/categories", {"name": "My channels"}, **guest)["group_id"]
item = {"group_id": group, "channel_id": channel["id"]}
feed = call("/api/items", item, **guest)["feeds"]["m3u"]

print(feed)
print(urlopen(feed).read().decode())
