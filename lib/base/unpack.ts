import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/**
 * Returns a decompressor for a reply's `Content-Encoding`, or null if none applies. Requests ask for no
 * compression, but a server may compress all the same (RFC 9110, 12.5.3). The decompressors flush partial
 * data, so that events of a stream arrive at once.
 */
export function unpackerFor(coding: string | string[] | undefined): Transform | null {
  if (coding === undefined) return null;
  return UNPACKERS.get(String(coding).trim().toLowerCase())?.() ?? null;
}

const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** Maps, here and wherever a foreign text is the key: an object also has a `constructor`. */
const UNPACKERS = new Map<string, () => Transform>([
  ["gzip", () => createGunzip(ZLIB)],
  ["x-gzip", () => createGunzip(ZLIB)],
  ["deflate", () => createInflate(ZLIB)],
  ["br", () => createBrotliDecompress(BROTLI)],
]);
