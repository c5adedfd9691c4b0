package main

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Waits until all clusters are ready.
type ready struct {
	service    *service
	attributes map[string]attribute
}

type readyModel struct {
	Objects   types.Map         `tfsdk:"objects"`
	WaitFor   types.Set         `tfsdk:"wait_for"`
	ID        types.String      `tfsdk:"id"`
	Endpoints map[string]string `tfsdk:"endpoints"`
	Phases    map[string]string `tfsdk:"phases"`
	// Only the package's own plugin hands objects over.
}

func (r *ready) Metadata(_ context.Context, _ resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = name + "_ready"
}

func (r *ready) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = schemaOf(r.attributes)
}

func (r *ready) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var state readyModel
	response.Diagnostics.Append(request.State.Get(ctx, &state)...)
	clusters, err := r.service.keptClusters()
	if err != nil {
		response.Diagnostics.AddError("the clusters cannot be listed", err.Error())
		return
	}
	state.show(clusters)
	response.Diagnostics.Append(response.State.Set(ctx, state)...)
}

func (r *ready) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	r.apply(ctx, request.Plan, &response.State, &response.Diagnostics)
}

func (r *ready) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	r.apply(ctx, request.Plan, &response.State, &response.Diagnostics)
}

func (r *ready) apply(ctx context.Context, plan tfsdk.Plan, state *tfsdk.State, diagnostics *diag.Diagnostics) {
	model := readyModel{ID: types.StringValue(rand.Text())}
	diagnostics.Append(plan.GetAttribute(ctx, path.Root("objects"), &model.Objects)...)
	diagnostics.Append(plan.GetAttribute(ctx, path.Root("wait_for"), &model.WaitFor)...)
	if err := r.wait(&model); err != nil {
		diagnostics.AddError("the service cannot be read", err.Error())
		return
	}
	diagnostics.Append(state.Set(ctx, model)...)
}

func (r *ready) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// Polls until all clusters are ready in two lists in a row, as the package's own provider does.
func (r *ready) wait(model *readyModel) error {
	if _, err := r.service.providers.get(); err != nil {
		return err
	}
	for looks := 0; ; {
		clusters, err := r.service.clusters.get()
		if err != nil {
			return err
		}
		model.show(clusters)
		switch {
		case !model.isReady():
			looks = 0
			time.Sleep(poll)
		case looks == 2:
			return nil
		default:
			// The second list confirms the first one, and the third one is for the attributes.
			if looks++; looks == 1 {
				time.Sleep(firstLook)
			}
		}
	}
}

func (m *readyModel) show(clusters map[string]cluster) {
	m.Endpoints, m.Phases = map[string]string{}, map[string]string{}
	for id := range m.Objects.Elements() {
		parts := strings.Split(id, "/")
		if found, there := clusters[parts[2]]; there && parts[1] == "clusters" {
			m.Endpoints[id], m.Phases[id] = found.Endpoint, found.Phase
		}
	}
}

func (m *readyModel) isReady() bool {
	for _, phase := range m.Phases {
		if phase != "Provisioned" {
			return false
		}
	}
	return len(m.Phases) == len(m.WaitFor.Elements())
}
