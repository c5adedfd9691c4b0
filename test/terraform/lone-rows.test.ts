import { testRowsAlone } from "./matrix";

testRowsAlone();
