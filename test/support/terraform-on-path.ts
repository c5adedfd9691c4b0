import { delimiter, dirname, isAbsolute } from "node:path";
import { terraform } from "./tools";

/** For examples that look for Terraform on the PATH. An absolute path is that of a Terraform from npm. */
if (isAbsolute(terraform)) process.env.PATH = `${dirname(terraform)}${delimiter}${process.env.PATH}`;
