/** Runs the tests of examples/tested-stack unchanged. */
import "../support/terraform-on-path";
import "../../examples/tested-stack/stack.test";
