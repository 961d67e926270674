base=http://127.0.0.1:8787

curl -s "$base/api/channels?q=news&sort=relevance&limit=5" |
  jq -r '.items[] | [.id, .name, .country] | @tsv'
