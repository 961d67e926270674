package moderation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/moderation/act"
)

const (
	casesPath = "/api/admin/moderation/reports"
	actsPath  = "/api/admin/moderation/acts"
)

// operator are the endpoints of the operator about single texts, authors and rooms.
var operator = []api.Endpoint{
	api.Bind((*Server).cases, api.Endpoint{
		Name:   "list_reported_texts",
		Method: "GET", Path: casesPath, Auth: api.Operator,
		Summary: "List the reported texts",
		Doc: "Returns a page of the comments, messages and public libraries that callers reported and the operator has neither removed, hidden nor dismissed, " +
			"the last reported first. Each comes once, with a copy of the text, its author and how many callers gave each reason.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).acts, api.Endpoint{
		Name:   "list_moderation_acts",
		Method: "GET", Path: actsPath, Auth: api.Operator,
		Summary: "List the acts of moderation",
		Doc: "Returns a page of the log of the operator's acts, newest first, each with its reason and the name of the operator. The " +
			"text that an act was about is null when 90 days have passed since it was removed or last reported.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).act, api.Endpoint{
		Name:   "moderate_text",
		Method: "POST", Path: actsPath, Auth: api.Operator,
		Summary: "Moderate a text, author or room",
		Doc: "Removes a comment or message, hides or restores a public library, dismisses the reports of one, mutes or unmutes its author or a network, or closes or opens a room, " +
			"and logs that with the reason and the name. Mutes and closed rooms end by themselves. Repeating an act answers changed " +
			"false, changes nothing and is not logged again.",
		Faults: []*fault.Error{act.ErrNoText, fault.ErrUnavailable},
	}),
}

// A reason is how many callers gave a reason for their reports of a text.
type reason struct {
	Reason  string `json:"reason" description:"Reason that callers gave."`
	Reports int    `json:"reports" description:"Number of reports with this reason."`
}

// A reportedText is a text with the reports of it.
type reportedText struct {
	Kind      string   `json:"kind" enum:"comment,message,library"`
	ChannelID string   `json:"channel_id" description:"Channel of the text; empty for a public library."`
	ID        string   `json:"id" description:"Id of the comment or message, or of a public library, which stays when its name changes."`
	Author    string   `json:"author" description:"Name that the text shows; empty for an anonymous library."`
	AuthorKey string   `json:"author_key" description:"The same for all texts of an author, whatever name they show."`
	Owner     string   `json:"owner" description:"Id of the author, for the operator alone."`
	Body      string   `json:"body" description:"The text as its author wrote it; of a public library its name, its title, what it is about, and the names of its folders and sub-tabs, in lines. Escape it before showing it in HTML."`
	WrittenAt string   `json:"written_at" format:"date-time" description:"Time at which the text was written, in UTC."`
	Reports   int      `json:"reports" description:"Number of callers that reported the text."`
	Reasons   []reason `json:"reasons" nullable:"false" description:"Reasons of the reports, the most frequent first."`
	FirstAt   string   `json:"first_at" format:"date-time" description:"Time of the first report."`
	LastAt    string   `json:"last_at" format:"date-time" description:"Time of the last report."`
}

func showCase(c act.Case) reportedText {
	out := reportedText{
		Kind: string(c.Kind), ChannelID: c.Channel, ID: c.ID, Author: c.Author, AuthorKey: moderation.AuthorKey(c.Owner),
		Owner: string(c.Owner), Body: c.Body, WrittenAt: moment(c.At), Reports: c.Reports, Reasons: []reason{},
		FirstAt: moment(c.FirstAt), LastAt: moment(c.ReportedAt),
	}
	for name, n := range c.Reasons {
		out.Reasons = append(out.Reasons, reason{name, n})
	}
	slices.SortFunc(out.Reasons, func(a, b reason) int {
		return cmp.Or(b.Reports-a.Reports, strings.Compare(a.Reason, b.Reason))
	})
	return out
}

// caseList is a page of reported texts.
type caseList struct {
	Items []reportedText `json:"items" nullable:"false"`
	page.Position
}

func (s *Server) cases(ctx context.Context, in page.In) (out caseList, err error) {
	list, total, err := s.Moderator.Cases(ctx, in.Offset, in.Limit)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out = caseList{Items: []reportedText{}, Position: in.Of(total, s.Base+casesPath)}
	for _, c := range list {
		out.Items = append(out.Items, showCase(c))
	}
	return out, nil
}

// An entry is an act in the log.
type entry struct {
	ID        string  `json:"id"`
	Act       string  `json:"act" enum:"remove_message,remove_comment,hide_library,restore_library,mute,unmute,close_room,open_room,dismiss,remove_all,restore_all,takedown_block,takedown_refuse,takedown_ask,takedown_lift,takedown_accept" description:"Act of the operator."`
	Kind      *string `json:"kind" enum:"comment,message,library" description:"Kind of the text; null for an act that names no text."`
	ChannelID *string `json:"channel_id" description:"Channel of the text or of the room; null when the act names an author."`
	TextID    *string `json:"text_id" description:"Id of the comment, message or public library; null for an act that names no text."`
	Owner     *string `json:"owner" description:"Id of the author, for the operator alone; null for an act on a room."`
	AuthorKey *string `json:"author_key" description:"The same for all texts of an author; null for an act on a room."`
	Network   *string `json:"network" description:"Name of the day of the network that was muted, or whose texts were removed; null for other acts."`
	Author    *string `json:"author" description:"Name that the text showed; null with the text."`
	Body      *string `json:"body" description:"The text; null when the act names none, it was never reported or removed, or its copy has expired."`
	Until     *string `json:"until" format:"date-time" description:"End of the mute or of the closing; null for other acts."`
	Reason    string  `json:"reason" description:"Reason for the act, for the operator."`
	By        string  `json:"by" description:"Name of the operator."`
	At        string  `json:"at" format:"date-time"`

	Bulk     *progress `json:"bulk" description:"Progress of an act on many texts; null for other acts."`
	Takedown *int      `json:"takedown" description:"Number of the takedown request; null for other acts."`
}

// A progress is how far an act on many texts is.
type progress struct {
	Done     bool    `json:"done" description:"False while texts are left: the act can be continued."`
	Comments int     `json:"comments" description:"Number of comments that were removed or restored."`
	Messages int     `json:"messages" description:"Number of chat messages that were removed or restored."`
	Undoes   *string `json:"undoes" description:"Id of the act that this one undoes; null for a removal."`
	UndoneBy *string `json:"undone_by" description:"Id of the act that undoes this one; null when it was not undone."`
}

// showProgress returns the progress of an act, or nil for an act on one text.
func showProgress(p *act.Progress) *progress {
	if p == nil {
		return nil
	}
	out := &progress{Done: p.Done, Comments: p.Comments, Messages: p.Messages}
	if p.Undoes != "" {
		out.Undoes = orNil(actPrefix + p.Undoes)
	}
	if p.UndoneBy != "" {
		out.UndoneBy = orNil(actPrefix + p.UndoneBy)
	}
	return out
}

// actPrefix is what the API writes before the id of an act.
const actPrefix = "act_"

// orNil returns nil for an empty value.
func orNil(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

func showEntry(l act.Logged) entry {
	out := entry{
		ID: actPrefix + l.ID, Act: string(l.Verb), Kind: orNil(string(l.Ref.Kind)), ChannelID: orNil(l.Ref.Channel), TextID: orNil(l.Ref.ID),
		Owner: orNil(string(l.Owner)), Network: orNil(l.Network), Bulk: showProgress(l.Bulk), Reason: l.Reason, By: l.By, At: moment(l.At),
	}
	if l.Takedown != 0 {
		out.Takedown = &l.Takedown
	}
	if l.Owner != "" {
		out.AuthorKey = orNil(moderation.AuthorKey(l.Owner))
	}
	if l.Case != nil {
		out.Author, out.Body = &l.Case.Author, &l.Case.Body
	}
	if !l.Until.IsZero() {
		out.Until = orNil(moment(l.Until))
	}
	return out
}

// entryList is a page of the log.
type entryList struct {
	Items []entry `json:"items" nullable:"false"`
	page.Position
}

func (s *Server) acts(ctx context.Context, in page.In) (out entryList, err error) {
	list, total, err := s.Moderator.Log(ctx, in.Offset, in.Limit)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out = entryList{Items: []entry{}, Position: in.Of(total, s.Base+actsPath)}
	for _, l := range list {
		out.Items = append(out.Items, showEntry(l))
	}
	return out, nil
}

type actIn struct {
	Act       string `json:"act" required:"true" enum:"remove_message,remove_comment,hide_library,restore_library,mute,unmute,close_room,open_room,dismiss" description:"Act to carry out."`
	Kind      string `json:"kind" enum:"comment,message,library" description:"Kind of the text that mute, unmute and dismiss name."`
	ChannelID string `json:"channel_id" maxLength:"256" description:"Channel of the message, or of the room to close or open."`
	ID        string `json:"id" maxLength:"64" description:"Id of the comment or message, or id or name of the public library; for mute and unmute, one of the author's."`
	Owner     string `json:"owner" maxLength:"200" description:"Id of an author to mute or unmute, in place of kind and id."`
	Network   string `json:"network" maxLength:"32" description:"Name of the day of a network to mute or unmute, in place of kind and id; without effect after that day."`
	Hours     int    `json:"hours" minimum:"0" maximum:"8760" description:"Duration of a mute or of the closing of a room, at least 1; ignored for other acts."`
	Reason    string `json:"reason" required:"true" minLength:"1" maxLength:"500" description:"Reason for the act, stored with it. The owner of a library that is hidden reads it."`
	By        string `json:"by" required:"true" minLength:"1" maxLength:"60" description:"Name of the operator, stored with the act."`
}

// An acted is the answer to an act.
type acted struct {
	OK      bool    `json:"ok" description:"Always true."`
	Changed bool    `json:"changed" description:"False when everything was done already."`
	Until   *string `json:"until" format:"date-time" description:"End of the mute or of the closing; null for other acts."`
}

func (s *Server) act(ctx context.Context, in actIn) (out acted, err error) {
	e, changed, err := s.Moderator.Act(ctx, act.Order{
		Verb: act.Verb(in.Act), Ref: act.Ref{Kind: act.Kind(in.Kind), Channel: in.ChannelID, ID: in.ID},
		Owner: identity.Owner(in.Owner), Network: in.Network, Hours: in.Hours, Reason: in.Reason, By: in.By,
	})
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return acted{true, changed, showEntry(act.Logged{Entry: e}).Until}, nil
}
