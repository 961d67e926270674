package fold_test

import (
	"testing"

	"miramundo.dev/shared/catalog/fold"
)

func TestAllocs(t *testing.T) {
	buf := make([]byte, 0, 1000)
	for _, s := range []string{"são", "Россия", "中央", "한국", "ﬁlm", "हिन्दी"} {
		t.Log(s, testing.AllocsPerRun(100, func() { buf = fold.AppendWords(buf[:0], s) }))
	}
}
