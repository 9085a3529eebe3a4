/** Packages that tests alone need: installed below node_modules, from their own lockfile, once for each state of it. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MODULES = join(import.meta.dirname, "../../node_modules");

/** Installs a package of `test` and copies its `files` beside what it needs. Returns the folder with both. */
export function installOwnPackage(name: string, files: string[]): string {
  const from = join(import.meta.dirname, "..", name);
  const place = join(MODULES, `.${name}`);
  const mark = join(place, ".installed");
  const lock = createHash("sha256")
    .update(readFileSync(join(from, "package-lock.json")))
    .digest("hex");
  mkdirSync(place, { recursive: true });
  for (const file of ["package.json", "package-lock.json", ...files])
    copyFileSync(join(from, file), join(place, file));
  if (!existsSync(mark) || readFileSync(mark, "utf8") !== lock) {
    rmSync(mark, { force: true });
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const { status, stdout, stderr } = spawnSync("npm", args, { cwd: place, encoding: "utf8" });
    if (status !== 0) throw new Error(`The package ${name} could not be installed:\n${stdout}${stderr}`);
    writeFileSync(mark, lock);
  }
  return place;
}
