/** Tells whether generated files still match their sources. Plain JavaScript, for bootstrap.mjs. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * One hash over the names and contents of files and folders. Missing ones are skipped.
 * @param {string[]} paths
 * @param {(path: string) => boolean} skip
 * @returns {string}
 */
export function hashOf(paths, skip = () => false) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((path) => filesUnder(path, skip))) {
    hash.update(`${path}\0`).update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}

/** @returns {string[]} */
function filesUnder(path, skip) {
  if (!existsSync(path) || skip(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name), skip));
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
export function readStamp(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** The Prisma client: its folder, the hash of its sources, and the file with the hash it was made from. */
export const databaseClient = {
  folder: "lib/generated/prisma",
  stamp: "lib/generated/prisma/.stamp",
  wanted: () => hashOf(["prisma/schema.prisma", "prisma.config.ts", "node_modules/prisma/package.json"]),
  isCurrent: () =>
    existsSync("lib/generated/prisma/client.ts") &&
    readStamp("lib/generated/prisma/.stamp") === databaseClient.wanted(),
};
