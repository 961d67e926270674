// Package world holds what the model of scale is fed with: the people to plan for, what
// they do, what each call costs, and the limits and prices of the platform.
//
//	world.json     what is given, assumed, or read elsewhere; edited by hand
//	measured.json  processor time, bytes and documents of each call; scale -measure writes it
//	costs.golden   of ./functions: documents of each endpoint, which its tests pin
//
// Each value names its unit, and in mark whether somebody measured it.
package world

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

//go:embed world.json
var worldJSON []byte

// Marks say where a value comes from.
const (
	Given    = "given"    // the world that was asked for
	Assumed  = "assumed"  // nobody measured it
	Measured = "measured" // by the bench or by scale -measure
	Code     = "code"     // a constant of this repository
	Limit    = "limit"    // of the platform, as its vendor documents it
	Price    = "price"    // a list price
)

var marks = []string{Given, Assumed, Measured, Code, Limit, Price}

// A Value is a number of the model.
type Value struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Mark  string  `json:"mark"`
	From  string  `json:"from"` // the source, or the reason
}

// A World is what the model is fed with.
type World struct {
	People struct {
		Day      Value `json:"day"`
		Watching Value `json:"watching"`
		Chatting Value `json:"chatting"`
		Channels Value `json:"channels"`
		Zipf     Value `json:"zipf"`
		Peak     Value `json:"peak"`
	} `json:"people"`
	Hours Hours            `json:"hours"`
	Day   map[string]Value `json:"day"`  // calls of one person on a day, by the name of the call
	Full  map[string]Value `json:"full"` // bytes more than measured of an answer about people with data and a full catalog, by the name of the call
	Play  struct {
		Refetch    Value `json:"refetch"`
		Bytes      Value `json:"bytes"`
		HitCPU     Value `json:"hit_cpu"`
		MissCPU    Value `json:"miss_cpu"`
		OriginWait Value `json:"origin_wait"`
		Fresh      Value `json:"fresh"`
		OriginMost Value `json:"origin_most"`
		Direct     Value `json:"direct"`
		SumEvery   Value `json:"sum_every"`
		Sums       Value `json:"sums"`
	} `json:"play"`
	Chat struct {
		Every         Value `json:"every"`
		RoomMost      Value `json:"room_most"`
		PostReads     Value `json:"post_reads"`
		PostWrites    Value `json:"post_writes"`
		Delivery      Value `json:"delivery"`
		DeliveryBytes Value `json:"delivery_bytes"`
		Announce      Value `json:"announce"`
		Heartbeat     Value `json:"heartbeat"`
		Churn         Value `json:"churn"`
	} `json:"chat"`
	Counting struct {
		Transaction Value `json:"transaction"`
		MarkBytes   Value `json:"mark_bytes"`
		Inline      Value `json:"inline"`
		Spill       Value `json:"spill"`
		Batch       Value `json:"batch"`
		VisitDocs   Value `json:"visit_docs"`
		UsageDocs   Value `json:"usage_docs"`
		UsageEvery  Value `json:"usage_every"`
		EventCPU    Value `json:"event_cpu"`
		EventBytes  Value `json:"event_bytes"`
		Refresh     Value `json:"refresh"`
	} `json:"counting"`
	Overlay struct {
		Shards  Value `json:"shards"`
		Heads   Value `json:"heads"`
		Confirm Value `json:"confirm"`
		Watched Value `json:"watched"`
	} `json:"overlay"`
	Catalog struct {
		Relevance Value `json:"relevance"`
		Heap      Value `json:"heap"`
		Reload    Value `json:"reload"`
		Loading   Value `json:"loading"`
		Stored    Value `json:"stored"`
		Chunk     Value `json:"chunk"`
		Memory    Value `json:"memory"`
		Countries Value `json:"countries"`
	} `json:"catalog"`
	Mail struct {
		Processor Value `json:"processor"`
		Bytes     Value `json:"bytes"`
		Most      Value `json:"most"`
	} `json:"mail"`
	Logos struct {
		PerPage Value `json:"per_page"`
		Browser Value `json:"browser"`
		Kept    Value `json:"kept"`
		Bytes   Value `json:"bytes"`
	} `json:"logos"`
	Cloud struct {
		Slower        Value `json:"slower"`
		Concurrency   Value `json:"concurrency"`
		Sockets       Value `json:"sockets"`
		Target        Value `json:"target"`
		Start         Value `json:"start"`
		StartMost     Value `json:"start_most"`
		Instances     Value `json:"instances"`
		Database      Value `json:"database"`
		Document      Value `json:"document"`
		DocumentBytes Value `json:"document_bytes"`
		Sequential    Value `json:"sequential"`
		Sites         Value `json:"sites"`
		JobRuns       Value `json:"job_runs"`
		JobReads      Value `json:"job_reads"`
		JobWrites     Value `json:"job_writes"`
		JobSeconds    Value `json:"job_seconds"`
		Jobs          Value `json:"jobs"`
		ProbeReads    Value `json:"probe_reads"`
		ProbeWrites   Value `json:"probe_writes"`
		ProbeCPU      Value `json:"probe_cpu"`
		Kept          Value `json:"kept"`
	} `json:"cloud"`
	Prices Prices `json:"prices"`
}

// Prices are list prices, in USD.
type Prices struct {
	Reads         Value `json:"reads"`
	Writes        Value `json:"writes"`
	Deletes       Value `json:"deletes"`
	Requests      Value `json:"requests"`
	Processor     Value `json:"processor"`
	Memory        Value `json:"memory"`
	ProcessorKept Value `json:"processor_kept"`
	MemoryKept    Value `json:"memory_kept"`
	Events        Value `json:"events"`
	EventLeast    Value `json:"event_least"`
	BalancerHour  Value `json:"balancer_hour"`
	BalancerBytes Value `json:"balancer_bytes"`
	Lookups       Value `json:"lookups"`
	Egress        Value `json:"egress"`
	Job           Value `json:"job"`
	JobsFree      Value `json:"jobs_free"`
}

// Hours are the load of each hour of a day, of which the mean is 1.
type Hours struct {
	Weights []float64 `json:"weights"`
	Mark    string    `json:"mark"`
	From    string    `json:"from"`
}

// Load returns the world of world.json, or an error that names what is wrong in it.
func Load() (*World, error) { return parse(worldJSON) }

func parse(text []byte) (*World, error) {
	w := &World{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(w); err != nil {
		return nil, fmt.Errorf("world.json: %w", err)
	}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("world.json: %w", err)
	}
	return w, nil
}

// check returns an error for each value that is incomplete.
func (w *World) check() error {
	var errs []error
	for _, in := range w.List() {
		switch {
		case in.Unit == "" || in.From == "" || !slices.Contains(marks, in.Mark):
			errs = append(errs, fmt.Errorf("%s must have a unit, a source and a mark of %s", in.Name, strings.Join(marks, ", ")))
		case in.Value.Value < 0 || math.IsNaN(in.Value.Value) || math.IsInf(in.Value.Value, 0):
			errs = append(errs, fmt.Errorf("%s must be a number of at least 0", in.Name))
		}
	}
	return errors.Join(append(errs, w.checkHours())...)
}

func (w *World) checkHours() error {
	sum, most := 0.0, 0.0
	for _, h := range w.Hours.Weights {
		sum += h
		most = max(most, h)
	}
	if len(w.Hours.Weights) != 24 || math.Abs(sum-24) > 0.01 || math.Abs(most-w.People.Peak.Value) > 0.01 {
		return fmt.Errorf("hours must be 24 weights with the mean 1 and the greatest people.peak; their sum is %.2f, the greatest %.2f", sum, most)
	}
	return nil
}

// An Input is a value with its name.
type Input struct {
	Name string // such as "people.day"
	Value
}

// List returns all values, in the order of the fields; those of a map by name.
func (w *World) List() []Input { return list("", reflect.ValueOf(*w)) }

// list returns the values in v, which is a struct or a map of values. Other fields are
// left out.
func list(name string, v reflect.Value) (all []Input) {
	if value, ok := v.Interface().(Value); ok {
		return []Input{{name, value}}
	}
	under := func(part string, v reflect.Value) {
		all = append(all, list(strings.TrimPrefix(name+"."+part, "."), v)...)
	}
	switch v.Kind() {
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			under(k.String(), v.MapIndex(k))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag.Get("json")
			under(tag, v.Field(i))
		}
	}
	return all
}
