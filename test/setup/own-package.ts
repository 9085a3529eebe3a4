/**
 * Published packages that tests alone need: installed below node_modules, once for each state of their lockfile or list.
 * `npm test -- full` installs all of them before the tests that use them (install-own-packages.ts).
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const MODULES = join(import.meta.dirname, "../../node_modules");
/** Packages of PyPI, by what they are for. */
const PYTHON = {
  /** FastMCP, and those of its packages that decide about messages on the wire and their order. */
  fastmcp: ["fastmcp[tasks]==3.4.11", "mcp==1.30.0", "pydocket==0.27.0"],
  /** The client of the Agent Approval Protocol, and the frameworks that three of its shims are for. */
  aap: [
    "agentapprovalprotocol[langgraph,pydantic-ai,openai-agents]==0.3.3",
    ...["langchain==1.5.2", "langgraph==1.2.24", "pydantic-ai-slim==2.68.0", "openai-agents==0.24.0"],
  ],
};

/** Installs a package of `test` and copies its `files` beside its dependencies. Returns the folder with both. */
export function installOwnPackage(name: string, files: string[]): string {
  const from = join(import.meta.dirname, "..", name);
  const lock = readFileSync(join(from, "package-lock.json"), "utf8");
  const place = installOnce(name, lock, (own) => {
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(from, file), join(own, file));
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], own);
  });
  for (const file of files) copyFileSync(join(from, file), join(place, file));
  return place;
}

/** Installs packages of PyPI in an environment of their own. Returns its Python. */
export function installPython(name: keyof typeof PYTHON): string {
  const packages = PYTHON[name];
  const place = installOnce(name, packages.join(), (own) => {
    run("python3", ["-m", "venv", "."], own);
    run("bin/python", ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages], own);
  });
  return join(place, "bin/python");
}

/** Returns null, and says why, where the registry or this machine has no such package: its tests are left out. */
export function orLeftOut<T>(name: string, install: () => T): T | null {
  try {
    return install();
  } catch (error) {
    process.stderr.write(
      `The tests of ${name} are left out: ${error instanceof Error ? error.message : error}\n`,
    );
    return null;
  }
}

/** Installs in a folder of this process and then renames it, because two test files may install at the same time. */
function installOnce(name: string, state: string, install: (folder: string) => void): string {
  const digest = createHash("sha256").update(state).digest("hex");
  const place = join(MODULES, `.${name}-${digest.slice(0, 12)}`);
  if (existsSync(place)) return place;
  const own = `${place}.${process.pid}`;
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  install(own);
  try {
    renameSync(own, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
    rmSync(own, { recursive: true, force: true });
  }
  return place;
}

function run(command: string, args: string[], cwd: string): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0)
    throw new Error(`${command} ${args.join(" ")} failed:\n${error?.message ?? `${stdout}${stderr}`}`);
}
