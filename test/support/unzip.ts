import { inflateRawSync } from "node:zlib";

const CENTRAL_ENTRY = 0x02014b50;
const END = 0x06054b50;

/** All that is in a zip file, one entry after the other; saved plans are zip files. */
export function unzipped(zip: Buffer): Buffer {
  let end = zip.length - 22;
  while (zip.readUInt32LE(end) !== END) end--;
  const contents: Buffer[] = [];
  for (let at = zip.readUInt32LE(end + 16); zip.readUInt32LE(at) === CENTRAL_ENTRY;) {
    const [method, size, local] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + size);
    contents.push(method === 0 ? data : inflateRawSync(data));
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return Buffer.concat(contents);
}
