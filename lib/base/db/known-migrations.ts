import { readdir } from "node:fs/promises";
import path from "node:path";

let known: Promise<string[]> | undefined;

/** The names of the migrations that came with this version, in order. Every process of ours runs in the project's folder. */
export function knownMigrations(): Promise<string[]> {
  known ??= readdir(path.join(process.cwd(), "prisma/migrations"), { withFileTypes: true }).then((entries) =>
    entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort(),
  );
  return known;
}
