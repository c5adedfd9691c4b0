import type { TerraformElement } from "cdktf";
import { refuse } from "./refusal";

/**
 * Sets the id of an element in Terraform, and refuses any other id from then on. Deployed state depends on it, and other elements,
 * hooks and the command line find the element by it.
 */
export function fixLogicalId(element: TerraformElement, id: string): void {
  element.overrideLogicalId(id);
  const keep = (other?: string) => {
    if (other === id) return;
    refuse(element, [
      `the id in Terraform must stay '${id}', because it comes from the name of the object or Platform and deployed state depends on it` +
        (other === undefined ? "" : `, got '${other}'; leave out this element`),
    ]);
  };
  Object.assign(element, { overrideLogicalId: keep, resetOverrideLogicalId: () => keep() });
}
