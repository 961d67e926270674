import json
from urllib.request import urlopen

base = "http://127.0.0.1:8787"

with urlopen(f"{base}/api/channels?q=news&sort=relevance&limit=5") as answer:
    for channel in json.load(answer)["items"]:
        print(channel["id"], channel["name"], channel["country"])
