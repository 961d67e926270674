// Package metricstest reads the metrics of a process in tests, as Prometheus does.
package metricstest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Samples are the values of a process, by name and labels:
//
//	miramundo_http_requests_total{code="200",method="GET",route="/ready"}
//
// A histogram has the two values name_count{…} and name_sum{…}.
type Samples map[string]float64

// Read reads the metrics at a URL. The test fails when they are not in the text form of
// Prometheus, or break its conventions for names and texts.
func Read(t testing.TB, url string) Samples {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("the metrics are answered with %d, %v: %s", res.StatusCode, err, text)
	}
	return Parse(t, text)
}

// Parse is Read for metrics that were read.
func Parse(t testing.TB, text []byte) Samples {
	t.Helper()
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all := Samples{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			sort.Strings(labels)
			of := ""
			if len(labels) > 0 {
				of = "{" + strings.Join(labels, ",") + "}"
			}
			if h := m.GetHistogram(); h != nil {
				all[name+"_count"+of], all[name+"_sum"+of] = float64(h.GetSampleCount()), h.GetSampleSum()
				continue
			}
			all[name+of] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue() + m.GetSummary().GetSampleSum()
		}
	}
	return all
}

// Series returns how many series have a name.
func (s Samples) Series(name string) int {
	n := 0
	for key := range s {
		if key == name || strings.HasPrefix(key, name+"{") {
			n++
		}
	}
	return n
}

// Sum returns the sum of the series with a name.
func (s Samples) Sum(name string) float64 {
	sum := 0.0
	for key, value := range s {
		if key == name || strings.HasPrefix(key, name+"{") {
			sum += value
		}
	}
	return sum
}
