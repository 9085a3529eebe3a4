import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** One hash over the names and contents of files and folders. What does not exist counts as nothing. */
export function hashOf(paths: string[], skip: (path: string) => boolean = () => false): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((path) => filesUnder(path, skip))) {
    hash.update(`${path}\0`).update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}

function filesUnder(path: string, skip: (path: string) => boolean): string[] {
  if (!existsSync(path) || skip(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name), skip));
}

export function readStamp(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
