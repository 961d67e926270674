package signin

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/password"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/wire/wiretest"
)

// BenchmarkKnownAndUnknown times sign-ins at addresses with and without an account,
// in random order, and reports by how much they differ and by how much the difference
// would vary by chance (two standard errors). Run it with -benchtime=2000x. It states
// no limit: times depend on the machine, and TestSameWork holds what they come from.
func BenchmarkKnownAndUnknown(b *testing.B) {
	for name, call := range map[string]func(*Service, Visitor, string) error{
		"mail": func(s *Service, v Visitor, email string) error {
			_, err := s.StartMail(b.Context(), v, email, "")
			return err
		},
		"password": func(s *Service, v Visitor, email string) error {
			_, err := s.Password(b.Context(), v, email, "a wrong password", "")
			if errors.Is(err, ErrCredentials) {
				return nil
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			d := newDesk(b, wiretest.OpenDB(b))
			d.o.Passwords = password.NewHasher()
			withAccounts(b, d, b.N)
			var times [2][]float64 // microseconds, without and with an account
			for n := range b.N {
				known := rand.IntN(2)
				v, email := browser(fmt.Sprint(n)), fmt.Sprintf("%d-%08d@exemplo.com.br", known, n)
				start := time.Now()
				if err := call(d.Service, v, email); err != nil {
					b.Fatal(err)
				}
				times[known] = append(times[known], float64(time.Since(start).Nanoseconds())/1000)
			}
			b.ReportMetric(mean(times[1])-mean(times[0]), "µs-difference")
			b.ReportMetric(2*math.Hypot(standardError(times[0]), standardError(times[1])), "µs-noise")
		})
	}
}

// withAccounts stores n accounts with a password, whose addresses begin with 1.
func withAccounts(b *testing.B, d *desk, n int) {
	b.Helper()
	hash, err := d.o.Passwords.Hash(b.Context(), good)
	if err != nil {
		b.Fatal(err)
	}
	for from := 0; from < n; from += 100 {
		err := d.db.Update(b.Context(), func(tx store.Tx) error {
			for i := from; i < min(from+100, n); i++ {
				email := fmt.Sprintf("1-%08d@exemplo.com.br", i)
				a := account.New(email, email, account.Profile{}, d.now)
				a.Password = hash
				if err := account.Create(tx, a); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// standardError returns the standard error of the mean of list.
func standardError(list []float64) float64 {
	m, sum := mean(list), 0.0
	for _, x := range list {
		sum += (x - m) * (x - m)
	}
	n := float64(len(list))
	return math.Sqrt(sum / (n - 1) / n)
}
