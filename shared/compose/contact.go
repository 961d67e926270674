package compose

import (
	"context"
	"net/url"

	"miramundo.dev/shared/contact"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/visit"
)

// Humans returns what verifies that people fill in forms, by the provider that the
// settings name.
func (p *Parts) Humans() *human.Verifier {
	o := human.Options{URL: p.Config.HumanVerifyURL, Secret: p.Config.HumanSecret}
	if base, err := url.Parse(p.Config.BaseURL); err == nil {
		o.Host = base.Hostname()
	}
	return human.New(o)
}

// Widget returns what pages need to show the challenge of that provider; zero without
// one.
func (p *Parts) Widget() human.Widget {
	return human.Widget{SiteKey: p.Config.HumanSiteKey, Script: p.Config.HumanScript}
}

// Desk returns what sends messages to the operator.
func (p *Parts) Desk() *contact.Desk {
	return &contact.Desk{DB: p.DB, Mail: p.Courier, To: p.Config.ContactEmail, Log: p.Log, Now: p.Now}
}

// ContactsJob returns the job that sends the paid messages that could not be sent when
// they were paid.
func (p *Parts) ContactsJob() (job.Job, error) {
	return job.Job{Name: contact.Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		return p.Desk().Run(ctx)
	}}, nil
}

// Visits returns what publishes the visits of persons.
func (p *Parts) Visits() *visit.Taker {
	return visit.NewTaker(p.Outbox(), p.People(), p.Now)
}
