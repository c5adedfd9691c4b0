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
		o.refuseTaken(nameIn(ctx, request.Plan, &response.Diagnostics), true, &response.Diagnostics)
		return
	}
	for attribute, schema := range o.attributes {
		if !schema.Computed {
			response.RequiresReplace = append(response.RequiresReplace, path.Root(attribute))
		}
	}
}

func (o *object) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	name := nameIn(ctx, request.State, &response.Diagnostics)
	if !o.there(name, true, &response.Diagnostics) && !response.Diagnostics.HasError() {
		response.State.RemoveResource(ctx)
	}
}

func (o *object) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	name := nameIn(ctx, request.Plan, &response.Diagnostics)
	if !o.create(name, o.bodies[o.target()+" "+name], &response.Diagnostics) {
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
		response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("kubernetes_versions"), found[name])...)
	}
}

func (o *object) Update(_ context.Context, _ resource.UpdateRequest, response *resource.UpdateResponse) {
	response.Diagnostics.AddError("an object cannot be updated", o.resourceType)
}

func (o *object) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	o.delete(nameIn(ctx, request.State, &response.Diagnostics), &response.Diagnostics)
}

// Where the object is created.
func (o *object) target() string {
	if o.kind == "cluster" {
		return providersPath + "/clusters/" + o.code
	}
	return providersPath + "/" + o.code
}

func (o *object) create(name string, body []byte, diagnostics *diag.Diagnostics) bool {
	o.refuseTaken(name, false, diagnostics)
	if diagnostics.HasError() {
		return false
	}
	if _, err := o.service.send("POST", o.target(), body); err != nil {
		diagnostics.AddError("the object cannot be created", err.Error())
		return false
	}
	return true
}

func (o *object) delete(name string, diagnostics *diag.Diagnostics) {
	there := o.there(name, false, diagnostics)
	target := clustersPath + "/" + name
	if o.kind == "provider" {
		target = providersPath + "/" + o.code + "/" + name
		// The package's own provider looks for clusters that use the registration.
		if _, err := o.service.clusters.get(); err != nil {
			diagnostics.AddError("the clusters cannot be listed", err.Error())
		}
	}
	if !there || diagnostics.HasError() {
		return
	}
	if _, err := o.service.send("DELETE", target, nil); err != nil {
		diagnostics.AddError("the object cannot be deleted", err.Error())
		return
	}
	for pause := firstLook; ; pause = min(2*pause, poll) {
		if !o.there(name, false, diagnostics) || diagnostics.HasError() {
			return
		}
		time.Sleep(pause)
	}
}

type value interface {
	GetAttribute(ctx context.Context, path path.Path, target interface{}) diag.Diagnostics
}

func nameIn(ctx context.Context, value value, diagnostics *diag.Diagnostics) string {
	var name types.String
	diagnostics.Append(value.GetAttribute(ctx, path.Root("name"), &name)...)
	return name.ValueString()
}

func (o *object) refuseTaken(name string, kept bool, diagnostics *diag.Diagnostics) {
	if o.there(name, kept, diagnostics) {
		diagnostics.AddError("the name is taken", name)
	}
}

// Whether the service has the object.
func (o *object) there(name string, kept bool, diagnostics *diag.Diagnostics) bool {
	there, err := o.exists(name, kept)
	if err != nil {
		diagnostics.AddError(fmt.Sprintf("the %ss cannot be listed", o.kind), err.Error())
	}
	return there
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
