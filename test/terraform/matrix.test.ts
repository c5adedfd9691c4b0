import { backends, terraformBackends } from "../support/tools";
import { failures } from "./failures";
import { testMatrix } from "./matrix";
import { backendsInTurn } from "./test-on-backends";

/** `npm test` has every row once, by Terraform, and the engines take turns. */
const rows = failures.flatMap((failure, index) =>
  backendsInTurn(backends, index % terraformBackends.length).map((backend) => ({ failure, ...backend })),
);

// One apply tests rows on both engines, but by one program.
describe.each([...new Set(rows.map(({ binary }) => binary))])("by %s", (binary) => {
  testMatrix(
    binary,
    rows.filter((row) => row.binary === binary),
  );
});
