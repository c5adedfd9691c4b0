package acceptance

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

const (
	create  = plancheck.ResourceActionCreate
	destroy = plancheck.ResourceActionDestroy
	nothing = plancheck.ResourceActionNoop
	replace = plancheck.ResourceActionDestroyBeforeCreate
	update  = plancheck.ResourceActionUpdate
)

type action = plancheck.ResourceActionType

// allOf expects an action for each object of a configuration.
func allOf(configuration string, expected action) map[string]action {
	return these(objectsIn(configuration), expected)
}

func these(objects []object, expected action) map[string]action {
	all := map[string]action{}
	for _, each := range objects {
		all[each.address] = expected
	}
	return all
}

func named(configuration, pattern string) []object {
	names := regexp.MustCompile("^(" + pattern + ")$")
	return slices.DeleteFunc(objectsIn(configuration), func(each object) bool { return !names.MatchString(each.name) })
}

// applying plans exactly the expected actions of objects, applies them, and compares with what has happened at the service. The
// framework then plans twice, before and after a refresh, and both plans must be empty.
func applying(configuration string, expected map[string]action, more ...plancheck.PlanCheck) resource.TestStep {
	var before []string
	return resource.TestStep{
		ConfigDirectory: directory(configuration),
		PreConfig:       func() { before = events() },
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             append(checksOf(configuration, expected), more...),
			PostApplyPreRefresh:  []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
		Check: func(*terraform.State) error {
			if err := same("the objects on the service", live(), idsOf(objectsIn(configuration))); err != nil {
				return err
			}
			return same("the writes", len(events())-len(before), writesOf(expected))
		},
	}
}

func checksOf(configuration string, expected map[string]action) []plancheck.PlanCheck {
	var checks []plancheck.PlanCheck
	for address, each := range expected {
		checks = append(checks, plancheck.ExpectResourceAction(address, each))
	}
	for _, each := range objectsIn(configuration) {
		if _, ok := expected[each.address]; !ok {
			checks = append(checks, plancheck.ExpectResourceAction(each.address, nothing))
		}
	}
	return checks
}

func writesOf(expected map[string]action) int {
	count := 0
	for _, each := range expected {
		count += map[action]int{create: 1, destroy: 1, replace: 2}[each]
	}
	return count
}

func same(what string, got, expected any) error {
	if fmt.Sprint(got) != fmt.Sprint(expected) {
		return fmt.Errorf("%s are %v, expected %v", what, got, expected)
	}
	return nil
}

func refused(configuration, code string) resource.TestStep {
	return resource.TestStep{ConfigDirectory: directory(configuration), ExpectError: regexp.MustCompile(`\[` + code + `\]`)}
}

func play(t *testing.T, steps ...resource.TestStep) {
	resource.Test(t, resource.TestCase{
		Steps: steps,
		CheckDestroy: func(*terraform.State) error {
			return same("the objects on the service", live(), []string{})
		},
	})
}

func both(one, other map[string]action) map[string]action {
	all := map[string]action{}
	for _, each := range []map[string]action{one, other} {
		for address, expected := range each {
			all[address] = expected
		}
	}
	return all
}

func TestReplacement(t *testing.T) {
	clusters := these(clustersIn("first"), replace)
	unused := these(named("first", `\w+-full`), replace)
	used := these(named("first", `\w+-main`), replace)
	var unknown []plancheck.PlanCheck
	for address := range clusters {
		unknown = append(unknown, plancheck.ExpectUnknownValue(address, tfjsonpath.New("pod_subnet")))
	}
	tainted := applying("name", both(these(clustersIn("name"), replace), used))
	for address := range both(these(clustersIn("name"), replace), used) {
		tainted.Taint = append(tainted.Taint, address)
	}
	play(t,
		applying("first", allOf("first", create)),
		applying("fields", both(clusters, unused)),
		applying("overrides", both(clusters, unused)),
		applying("credentials", unused),
		applying("triggered", clusters),
		applying("unknown", clusters, unknown...),
		refused("in-use", "PROVIDER_IN_USE"),
		applying("both", both(clusters, used)),
		applying("other-provider", clusters),
		applying("renamed", both(these(clustersIn("other-provider"), destroy), these(clustersIn("renamed"), create))),
		applying("name", these(clustersIn("name"), replace)),
		tainted,
	)
}

func TestSettings(t *testing.T) {
	all := allOf("first", update)
	protectedDestroy := refused("protected", "PROTECTED")
	protectedDestroy.Destroy = true
	play(t,
		applying("first", allOf("first", create)),
		applying("adopting", both(these(clustersIn("first"), update), these(named("first", `\w+-main`), update))),
		applying("protected", all),
		refused("protected-scaled", "PROTECTED"),
		protectedDestroy,
		applying("first", all),
	)
}

// Terraform's `import` ends with the state, so the state holds only what the lists of the service show.
var shown = regexp.MustCompile(`^(name|provider_name|api_endpoint|pod_subnet|service_subnet|ingress|secure|control_plane\.count|workers\.[^.]+\.count|allow_edit_csi|ip_address_pool_name)$`)

// notShown are the attributes that an import cannot know, such as "workers.default.cpus" or, as a whole, "body_overrides".
func notShown(arguments []string) []string {
	// The service shows no uid, so each import makes another one.
	ignored := []string{"uid"}
	isShown := func(part string) bool {
		return slices.ContainsFunc(arguments, func(argument string) bool {
			return shown.MatchString(argument) && strings.HasPrefix(argument, part)
		})
	}
	for _, argument := range arguments {
		parts := strings.Split(argument, ".")
		for length := range parts {
			if part := strings.Join(parts[:length+1], "."); !isShown(part) {
				ignored = append(ignored, part)
				break
			}
		}
	}
	return ignored
}

func TestImportByCommand(t *testing.T) {
	steps := []resource.TestStep{applying("maximal", allOf("maximal", create))}
	for _, each := range objectsIn("maximal") {
		steps = append(steps, resource.TestStep{
			ConfigDirectory:         directory("maximal"),
			ResourceName:            each.address,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: notShown(each.arguments),
		})
	}
	play(t, steps...)
}

func TestImportByBlock(t *testing.T) {
	importByBlock(t, resource.ImportBlockWithID)
}

func TestImportByIdentity(t *testing.T) {
	importByBlock(t, resource.ImportBlockWithResourceIdentity)
}

func importByBlock(t *testing.T, kind resource.ImportStateKind) {
	created := applying("maximal", allOf("maximal", create))
	states := map[string]any{}
	created.ConfigStateChecks = []statecheck.StateCheck{keptIn{states}}
	var steps []resource.TestStep
	for _, each := range objectsIn("maximal") {
		identity := map[string]knownvalue.Check{"name": knownvalue.StringExact(each.name)}
		if kind == resource.ImportBlockWithResourceIdentity {
			created.ConfigStateChecks = append(created.ConfigStateChecks, statecheck.ExpectIdentity(each.address, identity))
		}
		steps = append(steps, resource.TestStep{
			ConfigDirectory: directory("maximal"),
			ResourceName:    each.address,
			ImportState:     true,
			ImportStateKind: kind,
			// The lists of the service do not show all fields. The plan takes the others from the configuration.
			ExpectNonEmptyPlan: true,
			ImportPlanChecks: resource.ImportPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(each.address, update),
					completed{each.address, states},
				},
			},
		})
	}
	play(t, append([]resource.TestStep{created}, steps...)...)
}

// keptIn keeps the attributes of each resource in the state.
type keptIn struct{ states map[string]any }

func (check keptIn) CheckState(_ context.Context, request statecheck.CheckStateRequest, _ *statecheck.CheckStateResponse) {
	for _, each := range request.State.Values.RootModule.Resources {
		check.states[each.Address] = each.AttributeValues
	}
}

// completed expects that an import plans the state that the creation has left, and that it only adds to what was imported.
type completed struct {
	address string
	states  map[string]any
}

func (check completed) CheckPlan(_ context.Context, request plancheck.CheckPlanRequest, response *plancheck.CheckPlanResponse) {
	for _, each := range request.Plan.ResourceChanges {
		if each.Address != check.address {
			continue
		}
		imported, planned := each.Change.Before.(map[string]any), each.Change.After.(map[string]any)
		state := maps.Clone(check.states[check.address].(map[string]any))
		// Each import makes another one.
		delete(state, "uid")
		delete(planned, "uid")
		delete(imported, "uid")
		if !isPart(imported, planned) {
			response.Error = fmt.Errorf("%s: imported are %v, planned %v", check.address, imported, planned)
		} else if !reflect.DeepEqual(planned, state) {
			response.Error = fmt.Errorf("%s: planned are %v, created were %v", check.address, planned, state)
		}
		return
	}
	response.Error = fmt.Errorf("the plan does not have %s", check.address)
}

// isPart is whether a value adds to another one, where null and empty hold nothing.
func isPart(part, whole any) bool {
	if part == nil {
		return true
	}
	fields, ok := part.(map[string]any)
	all, _ := whole.(map[string]any)
	if !ok {
		return reflect.DeepEqual(part, whole)
	}
	for key, field := range fields {
		if !isPart(field, all[key]) {
			return false
		}
	}
	return true
}

func TestDrift(t *testing.T) {
	drifted := func(step resource.TestStep, inspect func(address string) resource.TestCheckFunc) resource.TestStep {
		checks := []resource.TestCheckFunc{step.Check}
		for _, each := range clustersIn("first") {
			checks = append(checks, inspect(each.address))
		}
		step.Check = resource.ComposeAggregateTestCheckFunc(checks...)
		return step
	}
	attribute := "drift.control_plane.count"
	five := drifted(applying("first", nil), func(address string) resource.TestCheckFunc {
		return resource.TestMatchResourceAttr(address, attribute, regexp.MustCompile(`^declared \d, live 5$`))
	})
	none := drifted(applying("first", these(clustersIn("first"), update)), func(address string) resource.TestCheckFunc {
		return resource.TestCheckNoResourceAttr(address, attribute)
	})
	gone := these(clustersIn("first"), create)
	play(t,
		applying("first", allOf("first", create)),
		// A difference is shown, and nothing is planned for it.
		after(func() { scaleByHand(5) }, five),
		// The declaration of what lives is accepted in place.
		applying("scaled", these(clustersIn("scaled"), update)),
		after(heal, none),
		after(func() {
			for _, each := range clustersIn("first") {
				deleteByHand(each.name)
			}
		}, applying("first", gone)),
	)
}

// after lets something happen before a step.
func after(happens func(), step resource.TestStep) resource.TestStep {
	before := step.PreConfig
	step.PreConfig = func() { happens(); before() }
	return step
}
