import { unzipSync } from "fflate";

/** All that is in a zip file, one entry after the other; saved plans are zip files. */
export function unzipped(zip: Buffer): Buffer {
  return Buffer.concat(Object.values(unzipSync(zip)));
}
