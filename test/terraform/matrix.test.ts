import { engines, terraform } from "../support/tools";
import { testMatrix } from "./matrix";
import { failures } from "./failures";

testMatrix(
  terraform,
  engines.flatMap((engine) => failures.map((failure) => ({ failure, engine }))),
);
