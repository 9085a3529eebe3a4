/** Packages that tests alone need: installed below node_modules, from their own lockfile, once for each state of it. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const MODULES = join(import.meta.dirname, "../../node_modules");

/** Installs a package of `test` and copies its `files` beside what it needs. Returns the folder with both. */
export function installOwnPackage(name: string, files: string[]): string {
  const from = join(import.meta.dirname, "..", name);
  const lock = createHash("sha256")
    .update(readFileSync(join(from, "package-lock.json")))
    .digest("hex");
  const place = join(MODULES, `.${name}-${lock.slice(0, 12)}`);
  if (!existsSync(place)) install(name, from, place);
  for (const file of files) copyFileSync(join(from, file), join(place, file));
  return place;
}

/** Installs in a folder of this process and then renames it, because two test files may install at the same time. */
function install(name: string, from: string, place: string): void {
  const own = `${place}.${process.pid}`;
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(from, file), join(own, file));
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: own, encoding: "utf8" });
  if (status !== 0) throw new Error(`The package ${name} could not be installed:\n${stdout}${stderr}`);
  try {
    renameSync(own, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
    rmSync(own, { recursive: true, force: true });
  }
}
