package compose

import (
	"context"

	"miramundo.dev/shared/job"
	"miramundo.dev/shared/takedown"
)

// Takedowns returns what takes requests of rights holders.
func (p *Parts) Takedowns() *takedown.Desk {
	return &takedown.Desk{DB: p.DB, Mail: p.Courier, To: p.Config.ContactEmail, Base: p.Config.BaseURL, Log: p.Log, Now: p.Now}
}

// TakedownsJob returns the job that sends the mails about takedown requests that could not
// be sent when they were caused.
func (p *Parts) TakedownsJob() (job.Job, error) {
	return job.Job{Name: takedown.Job, Run: func(ctx context.Context, _ job.Order) (any, error) {
		return p.Takedowns().Run(ctx)
	}}, nil
}
