package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOf checks what becomes of each part of a page.
func TestOf(t *testing.T) {
	for _, test := range []struct{ name, main, want string }{
		{"a text", `<h1>Aurora</h1><p>A <b>channel</b> of <a href="/en/brazil">Brazil</a>.</p>`, "# Aurora\n\nA **channel** of [Brazil](https://m.example/en/brazil).\n"},
		{"no heading", `<p>Nothing.</p>`, "# The title\n\nNothing.\n"},
		{"whole addresses", `<h1>A</h1><p><a href="https://elsewhere.example/x">x</a></p>`, "# A\n\n[x](https://elsewhere.example/x)\n"},
		{
			"what needs a script or a pointer",
			`<h1>A</h1><button>Play</button><form><input value="x">Send</form><p class="soft needs-js">1</p><p hidden>2</p><p aria-hidden="true">3</p><noscript>4</noscript><script>5</script><div data-visual>6</div><template>7</template><p>8</p>`,
			"# A\n\n8\n",
		},
		{"a picture", `<h1>A</h1><p><img src="/flags/br.svg" alt="Brazil"><img src="/logos/x" alt=""> news</p>`, "# A\n\nBrazil news\n"},
		{"terms in groups", `<h1>A</h1><dl><div><dt>Network</dt><dd>Rede</dd></div><div><dt>City</dt><dd>São Paulo</dd></div></dl>`, "# A\n\n- **Network:** Rede\n- **City:** São Paulo\n"},
		{"a table", `<h1>A</h1><table><thead><tr><th>Day</th><th>Plays</th></tr></thead><tbody><tr><td>1</td><td>20</td></tr></tbody></table>`, "# A\n\n| Day | Plays |\n|-----|-------|\n| 1   | 20    |\n"},
		{"a section that a script fills", `<h1>A</h1><section><h2>Comments</h2><div id="comments"><noscript>x</noscript></div></section><section><h2>Facts</h2><p>y</p></section>`, "# A\n\n## Facts\n\ny\n"},
		{"text that looks like HTML", `<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>`, "# &lt;script&gt;alert(1)&lt;/script&gt;\n"},
	} {
		page := `<!DOCTYPE html><html><head><title>The title</title></head><body><nav>Menu</nav><main id="main">` + test.main + `</main><footer>End</footer></body></html>`
		got, err := Of([]byte(page), "https://m.example")
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if _, err := Of([]byte("<p>no main</p>"), ""); err == nil {
		t.Error("a page without a main element gives no error")
	}
}

// BenchmarkOf renders a list of fifty channels.
func BenchmarkOf(b *testing.B) {
	card := `<li class="card"><span class="plate" aria-hidden="true"><img src="/logos/a" alt=""></span><span><a href="/en/channel/Aurora.br">Aurora</a> <span>General</span></span><button class="needs-js">Keep</button></li>`
	page := []byte(`<html><head><title>t</title></head><body><main><h1>A</h1><ul>` + strings.Repeat(card, 50) + `</ul></main></body></html>`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Of(page, "https://m.example"); err != nil {
			b.Fatal(err)
		}
	}
}
