//go:build plugin

// Package plugin keeps the genuine hashicorp/null plugin among the requirements of this module.
package plugin

import _ "github.com/terraform-providers/terraform-provider-null"
