import { testRowsOf } from "./matrix";

testRowsOf("provider");
