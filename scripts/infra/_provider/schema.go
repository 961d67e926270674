package main

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A schema is that of the provider, a resource or a data source.
type schema struct {
	Version int64 `json:"version"`
	Block   block `json:"block"`
}

type block struct {
	Attributes map[string]attributeType `json:"attributes"`
	BlockTypes map[string]blockType     `json:"block_types"`
}

type attributeType struct {
	Type     typeName `json:"type"`
	Required bool     `json:"required"`
	Optional bool     `json:"optional"`
	Computed bool     `json:"computed"`
}

type blockType struct {
	Nesting string `json:"nesting_mode"`
	Block   block  `json:"block"`
	Min     int64  `json:"min_items"`
	Max     int64  `json:"max_items"`
}

// A typeName is a type as JSON, such as ["list","string"].
type typeName struct{ tftypes.Type }

// UnmarshalJSON parses a type.
func (t *typeName) UnmarshalJSON(text []byte) (err error) {
	t.Type, err = tftypes.ParseJSONType(text) //nolint:staticcheck // nothing replaces it
	return err
}

var _ json.Unmarshaler = (*typeName)(nil)

var nestings = map[string]tfprotov6.SchemaNestedBlockNestingMode{
	"list": tfprotov6.SchemaNestedBlockNestingModeList, "set": tfprotov6.SchemaNestedBlockNestingModeSet,
	"single": tfprotov6.SchemaNestedBlockNestingModeSingle,
}

func (s schema) proto() *tfprotov6.Schema {
	return &tfprotov6.Schema{Version: s.Version, Block: s.Block.proto()}
}

// proto returns a block as the protocol has it, in the order of its names.
func (b block) proto() *tfprotov6.SchemaBlock {
	p := &tfprotov6.SchemaBlock{}
	for name, a := range b.Attributes {
		p.Attributes = append(p.Attributes, &tfprotov6.SchemaAttribute{
			Name: name, Type: a.Type.Type, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
		})
	}
	for name, n := range b.BlockTypes {
		p.BlockTypes = append(p.BlockTypes, &tfprotov6.SchemaNestedBlock{
			TypeName: name, Nesting: nestings[n.Nesting], Block: n.Block.proto(), MinItems: n.Min, MaxItems: n.Max,
		})
	}
	slices.SortFunc(p.Attributes, func(a, b *tfprotov6.SchemaAttribute) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(p.BlockTypes, func(a, b *tfprotov6.SchemaNestedBlock) int { return cmp.Compare(a.TypeName, b.TypeName) })
	return p
}
