package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A provider or a cluster of one type.
type object struct {
	*plugin
	resourceType, code, kind string
	attributes               map[string]attribute
}

func (o *object) Metadata(_ context.Context, _ resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = o.resourceType
}

func (o *object) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = schemaOf(o.attributes)
}

// Replaces the object if an argument changes, and refuses a taken name.
func (o *object) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() || request.Plan.Raw.Equal(request.State.Raw) {
		return
	}
	if request.State.Raw.IsNull() {
		if name, there := o.look(ctx, request.Plan, true, &response.Diagnostics); there {
			response.Diagnostics.AddError("the name is taken", name)
		}
		return
	}
	for attribute, schema := range o.attributes {
		if !schema.Computed {
			response.RequiresReplace = append(response.RequiresReplace, path.Root(attribute))
		}
	}
}

func (o *object) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	if _, there := o.look(ctx, request.State, true, &response.Diagnostics); !there && !response.Diagnostics.HasError() {
		response.State.RemoveResource(ctx)
	}
}

func (o *object) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	name, there := o.look(ctx, request.Plan, false, &response.Diagnostics)
	if there {
		response.Diagnostics.AddError("the name is taken", name)
	}
	if response.Diagnostics.HasError() {
		return
	}
	target := providersPath + "/" + o.code
	if o.kind == "cluster" {
		target = providersPath + "/clusters/" + o.code
	}
	if _, err := o.service.send("POST", target, o.bodies[target+" "+name]); err != nil {
		response.Diagnostics.AddError("the object cannot be created", err.Error())
		return
	}
	response.State.Raw = request.Plan.Raw
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("id"), o.code+"/"+o.kind+"s/"+name)...)
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("uid"), rand.Text())...)
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("service"), o.service.url)...)
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("drift"), types.MapNull(types.StringType))...)
	if o.kind == "provider" {
		found, err := o.service.providers.get()
		if err != nil {
			response.Diagnostics.AddError("the providers cannot be listed", err.Error())
		}
		response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("kube_versions"), found[name])...)
	}
}

func (o *object) Update(_ context.Context, _ resource.UpdateRequest, response *resource.UpdateResponse) {
	response.Diagnostics.AddError("an object cannot be updated", o.resourceType)
}

func (o *object) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	name, there := o.look(ctx, request.State, false, &response.Diagnostics)
	target := clustersPath + "/" + name
	if o.kind == "provider" {
		target = providersPath + "/" + o.code + "/" + name
		// The package's own provider looks for clusters that use the registration.
		if _, err := o.service.clusters.get(); err != nil {
			response.Diagnostics.AddError("the clusters cannot be listed", err.Error())
		}
	}
	if !there || response.Diagnostics.HasError() {
		return
	}
	if _, err := o.service.send("DELETE", target, nil); err != nil {
		response.Diagnostics.AddError("the object cannot be deleted", err.Error())
		return
	}
	for pause := firstLook; ; pause = min(2*pause, poll) {
		_, there := o.look(ctx, request.State, false, &response.Diagnostics)
		if !there || response.Diagnostics.HasError() {
			return
		}
		time.Sleep(pause)
	}
}

type value interface {
	GetAttribute(ctx context.Context, path path.Path, target interface{}) diag.Diagnostics
}

// The name of an object, and whether the service has it.
func (o *object) look(ctx context.Context, value value, kept bool, diagnostics *diag.Diagnostics) (string, bool) {
	var name types.String
	diagnostics.Append(value.GetAttribute(ctx, path.Root("name"), &name)...)
	there, err := o.exists(name.ValueString(), kept)
	if err != nil {
		diagnostics.AddError(fmt.Sprintf("the %ss cannot be listed", o.kind), err.Error())
	}
	return name.ValueString(), there
}

func (o *object) exists(name string, kept bool) (bool, error) {
	s := o.service
	switch {
	case o.kind == "cluster" && kept:
		return has(s.keptClusters, name)
	case o.kind == "cluster":
		return has(s.clusters.get, name)
	case kept:
		return has(s.keptProviders, name)
	}
	return has(s.providers.get, name)
}

func has[Item any, List ~map[string]Item](list func() (List, error), name string) (bool, error) {
	found, err := list()
	_, there := found[name]
	return there, err
}
