package views

import "time"

// Channels is the page with the ways in which people are told of something.
type Channels struct {
	Frame  Frame
	Notice string // what has just been done
	Error  string
	List   []ChannelForm
	New    []ChannelForm // one for each kind
}

// ChannelForm is the form of one channel.
type ChannelForm struct {
	ID      string // of the form, and prefix of the ids of its fields
	Channel string // its id; empty: it is new
	Kind    string
	Title   string // "Add a webhook", or the name and where it leads
	About   string // what such a channel is
	Open    bool
	Name    Field
	// AddressHint is empty if it has none; the same of the secret and the command.
	Address, Secret, Command             Field
	AddressHint, SecretHint, CommandHint string
	SecretLabel                          string
	// Kept: a secret is stored, and not shown. Unset: it is to be removed.
	Kept, Unset   bool
	Levels        []Choice
	Level         string // the fault of the level
	Quiet         string // the fault of the quiet hours
	From, To      Field
	Bundle, Local bool
	Stopped       string // why nothing is sent any more
	Standing      string // how it does
	Sent          time.Time
	Failed        []FailedMessage
}

// Wrong reports whether a field has a fault.
func (c ChannelForm) Wrong() bool {
	return c.Name.Error+c.Address.Error+c.Secret.Error+c.Command.Error+c.Level+c.Quiet != ""
}

// FailedMessage is one that was given up.
type FailedMessage struct {
	Words, Why string
	At         time.Time
}
