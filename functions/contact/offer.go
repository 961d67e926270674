package contact

import (
	"context"

	"miramundo.dev/shared/config"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/partner"
	"miramundo.dev/shared/producer"
	"miramundo.dev/shared/site"
)

type langIn struct {
	Lang string `query:"lang" description:"Language of the texts: pt, en, es, fr or de. An unknown one means pt."`
}

func (s *Server) partners(_ context.Context, in langIn) (partner.Sponsoring, error) {
	l := localeOf(in.Lang)
	return partner.Of(l, config.Product, partner.Addresses{
		Self: s.o.Base + partnersPath + "?lang=" + l.Tag(), Page: s.page(site.Partners, l), Form: s.page(site.Contact, l), API: s.o.Base + sendPath,
		Email: s.o.Desk.To, Wallet: s.o.PayTo,
	}), nil
}

func (s *Server) producers(_ context.Context, in langIn) (producer.Offering, error) {
	l := localeOf(in.Lang)
	return producer.Of(l, producer.Addresses{
		Self: s.o.Base + producersPath + "?lang=" + l.Tag(), Page: s.page(site.Producers, l), Form: s.page(site.Contact, l), API: s.o.Base + sendPath,
		Email: s.o.Desk.To,
	}), nil
}

// page returns the address of a page in a language.
func (s *Server) page(p site.Page, l i18n.Locale) string { return s.o.Base + p.Path(l, "") }

// localeOf returns the locale of a parameter, and the default for an unknown one.
func localeOf(lang string) i18n.Locale {
	l, _ := i18n.Find(lang)
	return l
}
