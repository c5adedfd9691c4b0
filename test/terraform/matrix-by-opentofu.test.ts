import { backends, terraform } from "../support/tools";
import { testMatrix } from "./matrix";
import { failures } from "./failures";

/** Every failure once, in turn on each engine. */
const others = backends.filter(({ binary }) => binary !== terraform);
if (others.length > 0) {
  const rows = failures.map((failure, index) => ({ failure, ...others[index % others.length]! }));
  testMatrix(others[0]!.binary, rows);
} else {
  test.skip("the matrix by OpenTofu", () => undefined);
}
