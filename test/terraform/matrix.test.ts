import { carriers, terraform } from "../support/tools";
import { playMatrix } from "./matrix";
import { troubles } from "./troubles";

playMatrix(
  terraform,
  carriers.flatMap((hookResource) => troubles.map((trouble) => ({ trouble, hookResource }))),
);
