import { testRowsOf } from "./matrix";

testRowsOf("hooks");
