package act

import (
	"errors"
	"testing"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/public"
)

// publish publishes a folder of an owner under a name, with a title.
func (w *world) publish(owner identity.Owner, name, title string) Ref {
	w.t.Helper()
	l, err := library.Load(w.t.Context(), w.db, owner)
	if err == nil && len(l.Categories) == 0 {
		l, err = library.Update(w.t.Context(), w.db, owner, w.now, func(l *library.Library) error {
			_, err := l.AddCategory("Folder")
			return err
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	p, _, err := public.Put(w.t.Context(), w.db, owner, public.Draft{Name: name, Title: title, Folders: []string{l.Categories[0].ID}}, w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	return Ref{Kind: Library, ID: p.ID}
}

// shows reports whether strangers see a library.
func (w *world) shows(name string) bool {
	w.t.Helper()
	_, err := public.Open(w.t.Context(), w.db, name)
	if err != nil && !errors.Is(err, public.ErrUnknown) {
		w.t.Fatal(err)
	}
	return err == nil
}

// TestLibrary reports a public library by its name, hides it and shows it again.
func TestLibrary(t *testing.T) {
	backends(t, func(w *world, _ int) {
		ref, named := w.publish("g_eve", "eve", "Spam"), Ref{Kind: Library, ID: "eve"}
		w.report("g_ana", named, "spam", true)
		w.report("g_ana", ref, "abuse", false)
		if _, err := w.Report(w.t.Context(), "g_eve", named, "spam"); !errors.Is(err, ErrOwn) {
			t.Errorf("one's own: %v", err)
		}
		list := w.cases()
		if len(list) != 1 || list[0].Ref != ref || list[0].Body != "eve\nSpam\nFolder: Geral" || list[0].Owner != "g_eve" {
			t.Errorf("the cases are %+v", list)
		}
		if e := w.act(Order{Verb: HideLibrary, Ref: named}, true); e.Ref != ref || e.Owner != "g_eve" {
			t.Errorf("the entry is %+v", e)
		}
		w.act(Order{Verb: HideLibrary, Ref: ref}, false)
		if w.shows("eve") || len(w.cases()) != 0 {
			t.Error("it is not hidden")
		}
		if p, err := public.OfOwner(w.t.Context(), w.db, "g_eve"); err != nil || p.Hidden == nil || p.Hidden.Reason != "because" {
			t.Errorf("the owner reads %+v, %v", p, err)
		}
		if _, err := w.Report(w.t.Context(), "g_bob", named, "spam"); !errors.Is(err, ErrNoText) {
			t.Errorf("a hidden one is reported: %v", err)
		}
		w.act(Order{Verb: RestoreLibrary, Ref: ref}, true)
		w.act(Order{Verb: RestoreLibrary, Ref: ref}, false)
		if !w.shows("eve") {
			t.Error("it is not shown again")
		}
	})
}

// TestLibraryWords checks that the case of a library is about its words at that time: other
// words can be reported again, and open it again.
func TestLibraryWords(t *testing.T) {
	backends(t, func(w *world, _ int) {
		ref := w.publish("g_eve", "eve", "Fine")
		w.report("g_ana", ref, "spam", true)
		w.act(Order{Verb: Dismiss, Ref: ref}, true)
		w.report("g_bob", ref, "spam", true)
		if list := w.cases(); len(list) > 0 {
			t.Errorf("a dismissed case is open: %+v", list)
		}
		w.publish("g_eve", "eve", "Worse")
		w.report("g_ana", ref, "abuse", true)
		w.report("g_ana", ref, "abuse", false)
		if list := w.cases(); len(list) != 1 || list[0].Body != "eve\nWorse\nFolder: Geral" || list[0].Reports != 3 {
			t.Errorf("the cases are %+v", list)
		}
	})
}

// TestLibraryGone hides a library that its owner withdrew, so that it cannot be published
// again, until it is restored, and refuses what does not exist.
func TestLibraryGone(t *testing.T) {
	backends(t, func(w *world, _ int) {
		ref := w.publish("g_eve", "eve", "Spam")
		w.report("g_ana", ref, "spam", true)
		if _, err := public.Withdraw(w.t.Context(), w.db, "g_eve", w.now); err != nil {
			t.Fatal(err)
		}
		w.act(Order{Verb: HideLibrary, Ref: ref}, true)
		if len(w.cases()) > 0 {
			t.Error("the case is open")
		}
		if again := w.publish("g_eve", "eve", "Spam"); again != ref || w.shows("eve") {
			t.Errorf("it is %v when it is published again, before %v; shown: %t", again, ref, w.shows("eve"))
		}
		if _, err := public.Withdraw(w.t.Context(), w.db, "g_eve", w.now); err != nil {
			t.Fatal(err)
		}
		w.act(Order{Verb: RestoreLibrary, Ref: ref}, true)
		if w.publish("g_eve", "eve", "Fine"); !w.shows("eve") {
			t.Error("it is not shown again")
		}
		for _, id := range []string{"nobody", "pub_aaaaaaaaaaaaaaaaaaaa", "..", "pub_", "a/b"} {
			if _, _, err := w.Act(w.t.Context(), Order{Verb: HideLibrary, Ref: Ref{ID: id}, Reason: "x", By: "x"}); !errors.Is(err, ErrNoText) {
				t.Errorf("%q: %v, want ErrNoText", id, err)
			}
		}
	})
}

// TestLibraryAuthor does not hide the owner of a library: the comments that disappear would
// tell who that is.
func TestLibraryAuthor(t *testing.T) {
	backends(t, func(w *world, _ int) {
		ref := w.publish("g_eve", "eve", "Title")
		if _, _, err := w.Hide(w.t.Context(), "g_ana", ref); !errors.Is(err, ErrNoText) {
			t.Errorf("%v, want ErrNoText", err)
		}
		w.act(Order{Verb: Mute, Ref: ref, Hours: 1}, true)
	})
}
