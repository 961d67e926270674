package profile

// A Word is a word of the documents with its meaning.
type Word struct {
	Word  string
	Means string
}

// Terms are the words that documents use in a meaning of their own.
var Terms = []Word{
	{"channel", "a TV channel or a radio station of the catalog"},
	{"stream", "one playable address of a channel"},
	{"origin", "the host that a stream comes from"},
	{"hop", "the service's playlist proxy: it rewrites HLS playlists and redirects to continuous streams"},
	{"feed", "the secret playlist address of a library, a folder or a sub-tab, for media players; its token is also a login of Xtream Codes, 8 characters of user name and 18 of password"},
	{"folder, sub-tab, item", "the levels of a library; `categories`, `groups` and `items` on the wire"},
	{"public library", "folders that an owner publishes under a name, which others read, follow and copy; nothing else of the owner is shown"},
	{"guest, account, organization", "the three kinds of owner of a library"},
	{"play report", "a caller's statement that a channel played or did not"},
}

// WireNames are the Portuguese names on the wire, as Markdown code, with their meaning.
var WireNames = []Word{
	{"`a_seguir`", "up next"},
	{"`agora`", "on air now"},
	{"`assistir`", "watch page"},
	{"`ausente`", "missing"},
	{"`carteira`", "wallet"},
	{"`categoria`", "category"},
	{"`contato`", "contact"},
	{"`descricao`", "description"},
	{"`espaco`", "space"},
	{"`fim`", "end"},
	{"`gratis`", "free"},
	{"`guia`", "programme guide"},
	{"`idioma`", "language"},
	{"`inicio`", "start"},
	{"`itens`", "number of items"},
	{"`mensagens`", "messages"},
	{"`min_relatos`", "fewest reports"},
	{"`modalidades`", "kinds of partnership"},
	{"`nome`", "name"},
	{"`o_que`", "what it is"},
	{"`observacao`", "note"},
	{"`origem`", "origin"},
	{"`patrocinadores`", "sponsors"},
	{"`precos`", "prices"},
	{"`produto`", "product"},
	{"`titulo`", "title"},
}
