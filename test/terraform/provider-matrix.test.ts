import { testRowsOf } from "./matrix";
import "./test-on-backends";

testRowsOf("provider");
