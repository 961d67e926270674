package platform

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"miramundo.dev/shared/metrics"
)

// metricsTime is how long an instance may take to show its metrics.
const metricsTime = 5 * time.Second

// Metrics returns a handler that shows the metrics of all instances of services as one
// page, with the label instance_name. It leaves out instances that do not answer.
func Metrics(services []*Service) http.Handler {
	var all prometheus.Gatherers
	for _, s := range services {
		for _, i := range s.instances {
			if i.Metrics != "" {
				all = append(all, prometheus.GathererFunc(i.gather))
			}
		}
	}
	return promhttp.HandlerFor(all, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// gather reads the metrics of the instance.
func (i *Instance) gather() ([]*dto.MetricFamily, error) {
	client := http.Client{Timeout: metricsTime}
	res, err := client.Get("http://" + i.Metrics + metrics.Path)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s shows its metrics with %s", i.Name, res.Status)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	found, err := parser.TextToMetricFamilies(res.Body)
	if err != nil {
		return nil, fmt.Errorf("metrics of %s: %w", i.Name, err)
	}
	var families []*dto.MetricFamily
	for _, family := range found {
		for _, m := range family.Metric {
			m.Label = append(m.Label, &dto.LabelPair{Name: new("instance_name"), Value: new(i.Name)})
			slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
		}
		families = append(families, family)
	}
	return families, nil
}
