export { looksSecret } from "../../model/secret-field";
