package main

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// An attribute of the package's own provider, in JSON.
type attribute struct {
	Description string
	Required    bool
	Optional    bool
	Computed    bool
	Sensitive   bool
	WriteOnly   bool
	Type        json.RawMessage
	Nested      *struct {
		Nesting    string
		Attributes map[string]attribute
	}
}

func schemaOf(attributes map[string]attribute) schema.Schema {
	return schema.Schema{Attributes: convert(attributes)}
}

func convert(attributes map[string]attribute) map[string]schema.Attribute {
	converted := make(map[string]schema.Attribute, len(attributes))
	for name, attribute := range attributes {
		if attribute.Nested != nil {
			converted[name] = nested(attribute)
		} else {
			converted[name] = plain(attribute)
		}
	}
	return converted
}

func nested(a attribute) schema.Attribute {
	attributes := convert(a.Nested.Attributes)
	element := schema.NestedAttributeObject{Attributes: attributes}
	switch a.Nested.Nesting {
	case "single":
		return schema.SingleNestedAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed, Attributes: attributes}
	case "list":
		return schema.ListNestedAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed, NestedObject: element}
	case "map":
		return schema.MapNestedAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed, NestedObject: element}
	}
	panic(fmt.Sprintf("unknown nesting %q", a.Nested.Nesting))
}

func plain(a attribute) schema.Attribute {
	var scalar string
	if json.Unmarshal(a.Type, &scalar) == nil {
		switch scalar {
		case "string":
			return schema.StringAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed, Sensitive: a.Sensitive, WriteOnly: a.WriteOnly}
		case "number":
			return schema.NumberAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed}
		case "bool":
			return schema.BoolAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed}
		case "dynamic":
			return schema.DynamicAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed, Sensitive: a.Sensitive, WriteOnly: a.WriteOnly}
		}
	}
	var collection [2]string
	if err := json.Unmarshal(a.Type, &collection); err != nil {
		panic(fmt.Sprintf("unknown type %s", a.Type))
	}
	element := map[string]attr.Type{"string": types.StringType, "number": types.NumberType}[collection[1]]
	switch collection[0] {
	case "list":
		return schema.ListAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed, ElementType: element}
	case "set":
		return schema.SetAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed, ElementType: element}
	case "map":
		return schema.MapAttribute{Description: a.Description, Required: a.Required, Optional: a.Optional, Computed: a.Computed, ElementType: element}
	}
	panic(fmt.Sprintf("unknown type %s", a.Type))
}
