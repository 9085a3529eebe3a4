import { readdir } from "node:fs/promises";
import path from "node:path";

let known: Promise<string[]> | undefined;

/** Returns the names of this version's migrations, in order. Expects to run in the project's folder. */
export function knownMigrations(): Promise<string[]> {
  known ??= readdir(path.join(process.cwd(), "prisma/migrations"), { withFileTypes: true }).then((entries) =>
    entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort(),
  );
  return known;
}
