package moderation

import (
	"context"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation/act"
)

const (
	previewPath = "/api/admin/moderation/preview"
	bulkPath    = "/api/admin/moderation/bulk"
	undoEnd     = "/undo"
)

// bulk are the endpoints of the operator about all texts of an author or a network.
var bulk = []api.Endpoint{
	api.Bind((*Server).preview, api.Endpoint{
		Name:   "preview_texts",
		Method: "POST", Path: previewPath, Auth: api.Operator,
		Summary: "Count the texts of an author or network",
		Doc: "Returns how many comments and chat messages remove_texts would remove, with some of them, and changes nothing. The author " +
			"or network is named by its id, or by one of its texts.",
		Faults: []*fault.Error{act.ErrNoText, act.ErrNoNetwork, fault.ErrUnavailable},
	}),
	api.Bind((*Server).removeTexts, api.Endpoint{
		Name:   "remove_texts",
		Method: "POST", Path: bulkPath, Auth: api.Operator,
		Summary: "Remove all texts of an author or network",
		Doc: "Removes every comment and chat message of an author, or of a network on the day of its name, and logs that with the reason " +
			"and the name. It works for up to 20 seconds: while done is false, continue_act goes on. Call preview_texts first; undo_act " +
			"restores everything within 90 days, and messages within 30.",
		Faults: []*fault.Error{act.ErrNoText, act.ErrNoNetwork, fault.ErrUnavailable},
	}),
	api.Bind((*Server).continueAct, api.Endpoint{
		Name:       "continue_act",
		Repeatable: true,
		Method:     "POST", Path: bulkPath + api.ByID, Auth: api.Operator,
		Summary: "Finish a removal or restoration",
		Doc: "Goes on with an act on many texts that is not done, also when the process that began it has ended. Of an act that was undone " +
			"it continues the restoration; repeating it after the end changes nothing.",
		Faults: []*fault.Error{act.ErrNoAct, fault.ErrUnavailable},
	}),
	api.Bind((*Server).undoAct, api.Endpoint{
		Name:       "undo_act",
		Repeatable: true,
		Method:     "POST", Path: bulkPath + api.ByID + undoEnd, Auth: api.Operator,
		Summary: "Restore the texts of a removal",
		Doc: "Restores the comments and messages that an act of remove_texts removed, as they were, and logs that. Texts of accounts that " +
			"were deleted meanwhile and expired messages stay removed. An act is undone once: repeating the call continues the restoration.",
		Faults: []*fault.Error{act.ErrNoAct, fault.ErrUnavailable},
	}),
}

// A senderIn names an author or a network, by its id or by one of its texts.
type senderIn struct {
	Owner     string `json:"owner" maxLength:"200" description:"Id of the author."`
	Network   string `json:"network" maxLength:"32" description:"Name of the day of the network."`
	Kind      string `json:"kind" enum:"comment,message,library" description:"Kind of a text, in place of owner and network."`
	ChannelID string `json:"channel_id" maxLength:"256" description:"Channel of the text; required for a message."`
	ID        string `json:"id" maxLength:"64" description:"Id of the text."`
	Of        string `json:"of" enum:"author,network" description:"Sender that the text names: its author, or every author of its network."`
}

// sender returns the sender that in names.
func (s *Server) sender(ctx context.Context, in senderIn) (act.Sender, error) {
	if in.ID == "" {
		return act.Sender{Owner: identity.Owner(in.Owner), Network: in.Network}, nil
	}
	return s.Moderator.SenderOf(ctx, act.Ref{Kind: act.Kind(in.Kind), Channel: in.ChannelID, ID: in.ID}, in.Of == "network")
}

// An example is one of the texts that would be removed.
type example struct {
	Kind      string `json:"kind" enum:"comment,message"`
	ChannelID string `json:"channel_id"`
	ID        string `json:"id" description:"Id of the comment or message."`
	Author    string `json:"author" description:"Name that the text shows."`
	Body      string `json:"body" description:"The text as its author wrote it: escape it before showing it in HTML."`
	WrittenAt string `json:"written_at" format:"date-time" description:"Time at which the text was written, in UTC."`
}

// A previewed is the answer with what would be removed.
type previewed struct {
	Owner    *string   `json:"owner" description:"Id of the author; null for a network."`
	Network  *string   `json:"network" description:"Name of the day of the network; null for an author."`
	Comments int       `json:"comments" description:"Number of comments; of a network, those that their authors deleted are included."`
	Messages int       `json:"messages" description:"Number of chat messages, at most 500."`
	More     bool      `json:"more" description:"Whether there are more messages than that."`
	Examples []example `json:"examples" nullable:"false" description:"Some of the texts."`
}

func (s *Server) preview(ctx context.Context, in senderIn) (out previewed, err error) {
	sender, err := s.sender(ctx, in)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	p, err := s.Moderator.Preview(ctx, sender)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out = previewed{
		Owner: orNil(string(sender.Owner)), Network: orNil(sender.Network), Comments: p.Comments, Messages: p.Messages, More: p.More,
		Examples: []example{},
	}
	for _, e := range p.Examples {
		out.Examples = append(out.Examples, example{string(e.Kind), e.Channel, e.ID, e.Author, e.Body, moment(e.At)})
	}
	return out, nil
}

// why are the reason for an act on many texts and the name of the operator.
type why struct {
	Reason string `json:"reason" required:"true" minLength:"1" maxLength:"500" description:"Reason for the act, stored with it."`
	By     string `json:"by" required:"true" minLength:"1" maxLength:"60" description:"Name of the operator, stored with the act."`
}

// A bulkAct is the answer to an act on many texts.
type bulkAct struct {
	OK bool   `json:"ok" description:"Always true."`
	ID string `json:"id" description:"Id of the act, as in the log."`
	progress
}

func showBulk(e act.Entry) bulkAct { return bulkAct{true, actPrefix + e.ID, *showProgress(e.Bulk)} }

type removeTextsIn struct {
	senderIn
	why
}

func (s *Server) removeTexts(ctx context.Context, in removeTextsIn) (out bulkAct, err error) {
	sender, err := s.sender(ctx, in.senderIn)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	e, err := s.Moderator.RemoveTexts(ctx, sender, in.Reason, in.By)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return showBulk(e), nil
}

type continueIn struct {
	ID string `path:"id" maxLength:"64" description:"Id of the act, as in the log."`
}

func (s *Server) continueAct(ctx context.Context, in continueIn) (out bulkAct, err error) {
	e, err := s.Moderator.Continue(ctx, strings.TrimPrefix(in.ID, actPrefix))
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return showBulk(e), nil
}

type undoIn struct {
	ID string `path:"id" maxLength:"64" description:"Id of the act, as in the log."`
	why
}

func (s *Server) undoAct(ctx context.Context, in undoIn) (out bulkAct, err error) {
	e, err := s.Moderator.Undo(ctx, strings.TrimPrefix(in.ID, actPrefix), in.Reason, in.By)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return showBulk(e), nil
}
