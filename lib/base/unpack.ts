import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/**
 * Undoes what a server packed its reply with, given as `Content-Encoding`; null: nothing that we know. We ask for no such
 * thing, and a server that is not asked may do it all the same (RFC 9110, 12.5.3). What is there of an event comes out.
 */
export function unpackerFor(coding: string | string[] | undefined): Transform | null {
  if (coding === undefined) return null;
  return UNPACKERS[String(coding).trim().toLowerCase()]?.() ?? null;
}

const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

const UNPACKERS: Record<string, () => Transform> = {
  gzip: () => createGunzip(ZLIB),
  "x-gzip": () => createGunzip(ZLIB),
  deflate: () => createInflate(ZLIB),
  br: () => createBrotliDecompress(BROTLI),
};
