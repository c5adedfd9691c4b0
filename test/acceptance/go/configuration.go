package acceptance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-testing/config"
)

type object struct {
	address, id, kind, name string
	// Such as "control_plane.count".
	arguments []string
}

func folderOf(configuration string) string {
	return filepath.Join(os.Getenv("ACCEPTANCE_CONFIGURATIONS"), configuration)
}

func directory(configuration string) config.TestStepConfigFunc {
	return config.StaticDirectory(folderOf(configuration))
}

var objectType = regexp.MustCompile(`^clusterplatform_(\w+)_(provider|cluster)$`)

// objectsIn are the objects of a synthesized stack, sorted by address.
func objectsIn(configuration string) []object {
	content, err := os.ReadFile(filepath.Join(folderOf(configuration), "cdk.tf.json"))
	if err != nil {
		panic(err)
	}
	var stack struct {
		Resource map[string]map[string]map[string]any
	}
	if err := json.Unmarshal(content, &stack); err != nil {
		panic(err)
	}
	var all []object
	for resourceType, blocks := range stack.Resource {
		parts := objectType.FindStringSubmatch(resourceType)
		if parts == nil {
			continue
		}
		for key, block := range blocks {
			name := block["name"].(string)
			delete(block, "//")
			delete(block, "provider")
			delete(block, "lifecycle")
			id := parts[1] + "/" + parts[2] + "s/" + name
			all = append(all, object{resourceType + "." + key, id, parts[2], name, leavesOf(block, "")})
		}
	}
	slices.SortFunc(all, func(one, other object) int { return strings.Compare(one.address, other.address) })
	return all
}

func leavesOf(value any, path string) []string {
	fields, ok := value.(map[string]any)
	if !ok || len(fields) == 0 {
		return []string{path}
	}
	var all []string
	for key, field := range fields {
		if path != "" {
			key = path + "." + key
		}
		all = append(all, leavesOf(field, key)...)
	}
	return all
}

func idsOf(objects []object) []string {
	all := []string{}
	for _, each := range objects {
		all = append(all, each.id)
	}
	slices.Sort(all)
	return all
}

func clustersIn(configuration string) []object {
	return slices.DeleteFunc(objectsIn(configuration), func(each object) bool { return each.kind != "cluster" })
}
