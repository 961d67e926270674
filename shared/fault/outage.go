package fault

// A backend that cannot do now what was asked for returns an [Outage]. It is not a
// fault, because the domain that made the call decides which fault its caller sees:
// a sign-in answers "auth_unavailable" where a library answers "unavailable". That
// fault takes the reason and the time of retry from the Outage that caused it, so
// that callers read the same reason whatever the code is.

// A Reason is why a backend cannot do now what was asked for. Callers of the API see
// it as "reason".
type Reason string

// The reasons.
const (
	StorageFull Reason = "storage_full" // the storage has no space; reads succeed
	ReadOnly    Reason = "read_only"    // the storage takes no writes; reads succeed
	Busy        Reason = "busy"         // too many calls compete for the same thing
	Starting    Reason = "starting"     // what is needed is still being loaded
)

// Reasons lists every reason.
var Reasons = []Reason{StorageFull, ReadOnly, Busy, Starting}

// An Outage is an error of the infrastructure whose reason is known. It is immutable.
type Outage struct {
	Reason  Reason
	Seconds int   // after which a repetition of the call may succeed
	err     error // the cause, for the log only
}

// NewOutage returns an outage. Each is declared once, as a package variable.
func NewOutage(r Reason, seconds int) *Outage { return &Outage{Reason: r, Seconds: seconds} }

// Because returns a copy of o with err as its cause. The copy matches o under
// [errors.Is].
func (o *Outage) Because(err error) *Outage { return &Outage{o.Reason, o.Seconds, err} }

func (o *Outage) Error() string {
	if o.err == nil {
		return string(o.Reason)
	}
	return string(o.Reason) + ": " + o.err.Error()
}

func (o *Outage) Unwrap() error { return o.err }

// Is reports whether target is an outage with the same reason.
func (o *Outage) Is(target error) bool {
	t, ok := target.(*Outage)
	return ok && t.Reason == o.Reason
}

// fields returns what o adds to the body of a fault.
func (o *Outage) fields() map[string]any {
	return map[string]any{"reason": string(o.Reason), "retry_after": o.Seconds}
}
