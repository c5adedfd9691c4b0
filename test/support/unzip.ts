import { unzipSync } from "fflate";

/** The content of all entries of a zip file. Saved plans are zip files. */
export function unzipped(zip: Buffer): Buffer {
  return Buffer.concat(Object.values(unzipSync(zip)));
}
