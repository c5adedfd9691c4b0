import { Engine } from "../../src/constructs/engine";
import { testRowsOf } from "./matrix";

testRowsOf(Engine.TERRAFORM_DATA);
