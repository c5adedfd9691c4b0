// A Terraform provider with what the provider of this package does not have: an action, and an ephemeral resource.
package main

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/action"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

type extras struct{}

func (extras) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = "extras"
}
func (extras) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (extras) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (extras) Resources(context.Context) []func() resource.Resource                              { return nil }
func (extras) DataSources(context.Context) []func() datasource.DataSource                        { return nil }
func (extras) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return notice{} }}
}
func (extras) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return variable{} }}
}

// notice does nothing.
type notice struct{}

func (notice) Metadata(_ context.Context, _ action.MetadataRequest, response *action.MetadataResponse) {
	response.TypeName = "extras_notice"
}
func (notice) Schema(_ context.Context, _ action.SchemaRequest, response *action.SchemaResponse) {
	response.Schema = actionschema.Schema{}
}
func (notice) Invoke(context.Context, action.InvokeRequest, *action.InvokeResponse) {}

// variable reads a variable of the environment.
type variable struct{}

func (variable) Metadata(_ context.Context, _ ephemeral.MetadataRequest, response *ephemeral.MetadataResponse) {
	response.TypeName = "extras_variable"
}
func (variable) Schema(_ context.Context, _ ephemeral.SchemaRequest, response *ephemeral.SchemaResponse) {
	response.Schema = ephemeralschema.Schema{Attributes: map[string]ephemeralschema.Attribute{
		"name":  ephemeralschema.StringAttribute{Required: true},
		"value": ephemeralschema.StringAttribute{Computed: true},
	}}
}
func (variable) Open(ctx context.Context, request ephemeral.OpenRequest, response *ephemeral.OpenResponse) {
	var name string
	response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	response.Diagnostics.Append(response.Result.SetAttribute(ctx, path.Root("name"), name)...)
	response.Diagnostics.Append(response.Result.SetAttribute(ctx, path.Root("value"), os.Getenv(name))...)
}

func main() {
	options := providerserver.ServeOpts{Address: "extras.invalid/test/extras"}
	if err := providerserver.Serve(context.Background(), func() provider.Provider { return extras{} }, options); err != nil {
		panic(err)
	}
}
