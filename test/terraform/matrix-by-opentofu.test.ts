import { grounds, terraform } from "../support/tools";
import { playMatrix } from "./matrix";
import { troubles } from "./troubles";

/** Every trouble once; the engines take turns. */
const others = grounds.filter(({ binary }) => binary !== terraform);
if (others.length > 0) {
  const rows = troubles.map((trouble, index) => ({ trouble, ...others[index % others.length]! }));
  playMatrix(others[0]!.binary, rows);
} else {
  test.skip("the matrix by OpenTofu", () => undefined);
}
