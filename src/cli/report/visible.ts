export { bounded, visible, wellFormed } from "../../model/printable";
