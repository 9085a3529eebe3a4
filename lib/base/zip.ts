/** Writes a zip file (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT) of a few small files, which are not compressed. Pure. */
import { crc32 } from "node:zlib";

/** The first day that a zip file can name, so that the same files make the same zip. */
const FIRST_DAY = 0x21;

export function zipOf(files: { name: string; bytes: Uint8Array }[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const called = Buffer.from(name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(FIRST_DAY, 8);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(bytes.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(called.length, 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(at, 10);
    const part = Buffer.concat([Buffer.from("PK\x03\x04"), about, called, bytes]);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), about, central, called]));
    parts.push(part);
    at += part.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, listed, Buffer.from("PK\x05\x06"), end]);
}
