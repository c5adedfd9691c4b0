package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// An object as a provider for any REST API has it: a path, and the request body as one JSON text. It sends the same requests as the
// resources with typed attributes.
type generic struct{ *plugin }

type genericModel struct {
	Path types.String `tfsdk:"path"`
	Body types.String `tfsdk:"body"`
	ID   types.String `tfsdk:"id"`
}

func (g *generic) Metadata(_ context.Context, _ resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = name + "_object"
}

func (g *generic) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	replacing := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	response.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"path": schema.StringAttribute{Required: true, PlanModifiers: replacing},
		"body": schema.StringAttribute{Required: true, PlanModifiers: replacing},
		"id":   schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
	}}
}

func (g *generic) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() || !request.State.Raw.IsNull() {
		return
	}
	if o, model := g.object(ctx, request.Plan, &response.Diagnostics); o != nil {
		o.refuseTaken(model.name(), true, &response.Diagnostics)
	}
}

func (g *generic) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	o, model := g.object(ctx, request.State, &response.Diagnostics)
	if o != nil && !o.there(model.name(), true, &response.Diagnostics) && !response.Diagnostics.HasError() {
		response.State.RemoveResource(ctx)
	}
}

func (g *generic) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	o, model := g.object(ctx, request.Plan, &response.Diagnostics)
	if o == nil || !o.create(model.name(), []byte(model.Body.ValueString()), &response.Diagnostics) {
		return
	}
	model.ID = types.StringValue(o.code + "/" + o.kind + "s/" + model.name())
	response.Diagnostics.Append(response.State.Set(ctx, model)...)
}

func (g *generic) Update(_ context.Context, _ resource.UpdateRequest, response *resource.UpdateResponse) {
	response.Diagnostics.AddError("an object cannot be updated", name+"_object")
}

func (g *generic) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	if o, model := g.object(ctx, request.State, &response.Diagnostics); o != nil {
		o.delete(model.name(), &response.Diagnostics)
	}
}

type gettable interface {
	Get(ctx context.Context, target interface{}) diag.Diagnostics
}

// What a path says: .../providers/<type> registers a provider, and .../providers/clusters/<type> creates a cluster.
func (g *generic) object(ctx context.Context, value gettable, diagnostics *diag.Diagnostics) (*object, *genericModel) {
	model := &genericModel{}
	diagnostics.Append(value.Get(ctx, model)...)
	if diagnostics.HasError() {
		return nil, nil
	}
	target := model.Path.ValueString()
	o := &object{plugin: g.plugin, kind: "provider", code: target[strings.LastIndex(target, "/")+1:]}
	if strings.HasPrefix(target, providersPath+"/clusters/") {
		o.kind = "cluster"
	}
	return o, model
}

func (m *genericModel) name() string {
	var body struct {
		Cluster            struct{ ClusterName string }
		IdentityName, Name string
	}
	_ = json.Unmarshal([]byte(m.Body.ValueString()), &body)
	for _, name := range []string{body.Cluster.ClusterName, body.IdentityName, body.Name} {
		if name != "" {
			return name
		}
	}
	return ""
}
