import { engines, terraform } from "../support/tools";
import { playMatrix } from "./matrix";
import { troubles } from "./troubles";

playMatrix(
  terraform,
  engines.flatMap((engine) => troubles.map((trouble) => ({ trouble, engine }))),
);
