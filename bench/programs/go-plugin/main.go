// A minimal Terraform provider in Go, as a yardstick for the provider of this package. It has the same resource types with the
// same attributes, and sends the same requests to the service. It checks nothing beyond them. The benchmark puts it in the
// place of the package's provider.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

const name = "clusterplatform"

type plugin struct {
	service *service
	// Attributes by resource type.
	schemas map[string]map[string]attribute
	// Request bodies by path of the POST and name of the object. The benchmark records them, so this plugin does less work than
	// the package's provider.
	bodies map[string]json.RawMessage
}

func (p *plugin) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = name
}

func (p *plugin) Schema(_ context.Context, _ provider.SchemaRequest, response *provider.SchemaResponse) {
	response.Schema = providerschema.Schema{}
}

func (p *plugin) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (p *plugin) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *plugin) Resources(context.Context) []func() resource.Resource {
	resources := []func() resource.Resource{func() resource.Resource { return &generic{p} }}
	for resourceType, attributes := range p.schemas {
		resources = append(resources, func() resource.Resource {
			if resourceType == name+"_ready" {
				return &ready{service: p.service, attributes: attributes}
			}
			words := strings.Split(resourceType, "_")
			return &object{plugin: p, resourceType: resourceType, code: words[1], kind: words[2], attributes: attributes}
		})
	}
	return resources
}

// Reads a file that the benchmark has written beside the plugin.
func read(file string, into any) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(program), file))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func serve() error {
	p := &plugin{service: newService(os.Getenv("CLUSTER_PLATFORM_URL"), os.Getenv("CLUSTER_PLATFORM_TOKEN"))}
	if err := read("schemas.json", &p.schemas); err != nil {
		return err
	}
	if err := read("bodies.json", &p.bodies); err != nil {
		return err
	}
	options := providerserver.ServeOpts{Address: "cluster-platform.invalid/cdktf/" + name}
	return providerserver.Serve(context.Background(), func() provider.Provider { return p }, options)
}

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
