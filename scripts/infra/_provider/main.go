// Provider stands in for the Terraform provider hashicorp/google, so that validate, plan
// and test of infra/ run without a network and without an account.
//
// It reads its schema from the file schema.json beside the program, in the form of
// `terraform providers schema -json`. Terraform itself holds a configuration to this
// schema: unknown arguments, missing ones, wrong types and wrong references. The program
// checks no values, as the real provider does. A plan is the proposed state, with unknown
// computed attributes; applying it makes values up.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	p, err := load()
	if err != nil {
		return err
	}
	return tf6server.Serve("registry.terraform.io/hashicorp/google", func() tfprotov6.ProviderServer { return p })
}

// A provider answers Terraform. The calls that it does not have are of features that
// infra/ does not use.
type provider struct {
	tfprotov6.ProviderServer
	config          *tfprotov6.Schema
	resources, data map[string]*tfprotov6.Schema
}

// load reads the schema beside the program.
func load() (*provider, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(program), "schema.json"))
	if err != nil {
		return nil, err
	}
	var file struct {
		Provider    schema            `json:"provider"`
		Resources   map[string]schema `json:"resource_schemas"`
		DataSources map[string]schema `json:"data_source_schemas"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("schema.json: %w", err)
	}
	p := &provider{config: file.Provider.proto(), resources: map[string]*tfprotov6.Schema{}, data: map[string]*tfprotov6.Schema{}}
	for name, s := range file.Resources {
		p.resources[name] = s.proto()
	}
	for name, s := range file.DataSources {
		p.data[name] = s.proto()
	}
	return p, nil
}

// GetMetadata returns the names of the resources and data sources.
func (p *provider) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	res := &tfprotov6.GetMetadataResponse{}
	for name := range p.resources {
		res.Resources = append(res.Resources, tfprotov6.ResourceMetadata{TypeName: name})
	}
	for name := range p.data {
		res.DataSources = append(res.DataSources, tfprotov6.DataSourceMetadata{TypeName: name})
	}
	return res, nil
}

// GetProviderSchema returns the schema.
func (p *provider) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{Provider: p.config, ResourceSchemas: p.resources, DataSourceSchemas: p.data}, nil
}

// ValidateProviderConfig accepts every configuration.
func (p *provider) ValidateProviderConfig(_ context.Context, r *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: r.Config}, nil
}

// ConfigureProvider does nothing.
func (p *provider) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// StopProvider does nothing.
func (p *provider) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// ValidateResourceConfig accepts every configuration that fits the schema.
func (p *provider) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

// ValidateDataResourceConfig accepts every configuration that fits the schema.
func (p *provider) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

// UpgradeResourceState reads a state of the same schema.
func (p *provider) UpgradeResourceState(_ context.Context, r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	of := p.resources[r.TypeName].ValueType()
	v, err := r.RawState.Unmarshal(of)
	if err != nil {
		return nil, err
	}
	state, err := tfprotov6.NewDynamicValue(of, v)
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &state}, err
}

// ReadResource returns the state that Terraform has.
func (p *provider) ReadResource(_ context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Private: r.Private}, nil
}

// PlanResourceChange returns the proposed state, in which computed attributes that the
// configuration leaves open are unknown.
func (p *provider) PlanResourceChange(_ context.Context, r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	planned, err := rewrite(p.resources[r.TypeName], r.ProposedNewState, func(a *tfprotov6.SchemaAttribute, v tftypes.Value) tftypes.Value {
		if a.Computed && v.IsNull() {
			return tftypes.NewValue(v.Type(), tftypes.UnknownValue)
		}
		return v
	})
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: planned, PlannedPrivate: r.PriorPrivate, UnsafeToUseLegacyTypeSystem: true}, err
}

// ApplyResourceChange returns the planned state with values in place of what was unknown.
func (p *provider) ApplyResourceChange(_ context.Context, r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	// No two resources have the same values: a change of one must show in those that refer to it.
	suffix := fmt.Sprintf("-%d", time.Now().UnixNano())
	state, err := rewrite(p.resources[r.TypeName], r.PlannedState, func(a *tfprotov6.SchemaAttribute, v tftypes.Value) tftypes.Value {
		if !v.IsKnown() {
			return madeUp(a.Name, v.Type(), suffix)
		}
		return v
	})
	return &tfprotov6.ApplyResourceChangeResponse{NewState: state, Private: r.PlannedPrivate, UnsafeToUseLegacyTypeSystem: true}, err
}

// ReadDataSource returns the configuration with values in place of what is computed.
func (p *provider) ReadDataSource(_ context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	state, err := rewrite(p.data[r.TypeName], r.Config, func(a *tfprotov6.SchemaAttribute, v tftypes.Value) tftypes.Value {
		if a.Computed && v.IsNull() {
			return madeUp(a.Name, v.Type(), "")
		}
		return v
	})
	return &tfprotov6.ReadDataSourceResponse{State: state}, err
}

// rewrite replaces the attributes of a value by what change returns for them.
func rewrite(s *tfprotov6.Schema, value *tfprotov6.DynamicValue, change func(*tfprotov6.SchemaAttribute, tftypes.Value) tftypes.Value) (*tfprotov6.DynamicValue, error) {
	of := s.ValueType()
	v, err := value.Unmarshal(of)
	if err != nil {
		return nil, err
	}
	v, err = tftypes.Transform(v, func(path *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if a := attribute(s.Block, path); a != nil {
			return change(a, v), nil
		}
		return v, nil
	})
	if err != nil {
		return nil, err
	}
	result, err := tfprotov6.NewDynamicValue(of, v)
	return &result, err
}

// attribute returns the attribute at a path; nil where there is a block, or a part of an
// attribute.
func attribute(b *tfprotov6.SchemaBlock, path *tftypes.AttributePath) *tfprotov6.SchemaAttribute {
	steps := path.Steps()
	for i, step := range steps {
		name, ok := step.(tftypes.AttributeName)
		if !ok {
			continue // the place in a list or set of blocks
		}
		for _, a := range b.Attributes {
			if a.Name == string(name) && i == len(steps)-1 {
				return a
			}
		}
		var inner *tfprotov6.SchemaBlock
		for _, nested := range b.BlockTypes {
			if nested.TypeName == string(name) {
				inner = nested.Block
			}
		}
		if inner == nil {
			return nil
		}
		b = inner
	}
	return nil
}

// madeUp returns a value for the attribute with a name. A text ends with a suffix.
func madeUp(name string, of tftypes.Type, suffix string) tftypes.Value {
	switch {
	case of.Is(tftypes.String):
		return tftypes.NewValue(of, "made-up-"+name+suffix)
	case of.Is(tftypes.Number):
		return tftypes.NewValue(of, 1)
	case of.Is(tftypes.Bool):
		return tftypes.NewValue(of, false)
	case of.Is(tftypes.List{}), of.Is(tftypes.Set{}):
		return tftypes.NewValue(of, []tftypes.Value{})
	case of.Is(tftypes.Map{}):
		return tftypes.NewValue(of, map[string]tftypes.Value{})
	}
	return tftypes.NewValue(of, nil)
}
