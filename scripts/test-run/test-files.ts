/**
 * Chooses the tests of `npm test -- changed`: those that a change reaches, nearest first, as many as fit into
 * the time. A change is the difference from the branch's base on `main`, and anything uncommitted. Also tells
 * how long test files took, and which have long tests.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { z } from "zod";

export interface Choice {
  /** Test files, the nearest to the change first. */
  unit: string[];
  /** Test files that the change reaches but the time does not allow. */
  left: string[];
  /** Browser tests. */
  e2e: string[];
  /** The browser would see the change only in a new build. */
  needsBuild: boolean;
}

/** Total time of the test files, which run in parallel. */
const SECONDS = 240;

/** The browser tests that exercise a folder; a changed spec needs no entry. */
const SEEN_IN: [folder: RegExp, specs: string[]][] = [
  [/^app\/\(app\)\/inbox\/|^components\/request\//, ["deciding", "list", "request"]],
  [/^app\/\(app\)\/tasks\/new\/|^components\/form\//, ["new-task", "forms"]],
  [/^app\/\(app\)\/tasks\/|^components\/(task|timeline)\//, ["task-page", "monitor"]],
  [/^app\/\(app\)\/servers\/|^components\/server\//, ["servers", "every-server"]],
  [/^app\/\(app\)\/overview\/|^components\/chart\//, ["overview"]],
  [/^app\/\(app\)\/activity\//, ["activity"]],
  [/^app\/\(app\)\/settings\/|^app\/join\/|^components\/people\//, ["people", "retention", "telling"]],
  [/^app\/(sign-in|set-password)\//, ["sign-in"]],
  [/^app\/setup\//, ["setup"]],
  [/^components\/(shell|list)\//, ["shell", "keyboard"]],
  [/^lib\/engine\//, ["crash"]],
];

/** Files read or loaded by name pattern, which no import shows: the importers of the reader depend on them. */
const READ_ELSEWHERE: [file: RegExp, reader: string][] = [
  [/^prisma\/migrations\//, "scripts/migrate.ts"],
  [/^prisma\/schema\.prisma$/, "lib/base/db/db.ts"],
  [/^app\/.*\/route\.ts$/, "test/web.ts"],
];

/** Files that every test depends on without naming them. */
const EVERYBODYS = /^(package-lock\.json|tsconfig\.json|vitest\.config\.ts|test\/setup\/global-setup\.ts)$/;

/** The sources of the app's build. */
const BUILT = /^(app|components|lib|public)\/|^(next\.config\.js|postcss\.config\.mjs|proxy\.ts)$/;

/** `secondsOf`: how long a test file takes. */
export function choose(
  changed: string[],
  sources: Map<string, string>,
  secondsOf: (file: string) => number,
): Choice {
  const distance = distances(changed, sources);
  const reached = [...distance.keys()].filter(
    (file) => isTest(file) && (!isLong(file) || distance.get(file) === 0),
  );
  reached.sort((a, b) => distance.get(a)! - distance.get(b)! || secondsOf(a) - secondsOf(b));
  const unit: string[] = [];
  const left: string[] = [];
  let seconds = 0;
  for (const file of reached) {
    seconds += secondsOf(file);
    // Tests that were changed themselves always run, however long they take.
    (seconds <= SECONDS || distance.get(file) === 0 ? unit : left).push(file);
  }
  const seen = SEEN_IN.filter(([folder]) => changed.some((file) => folder.test(file)));
  const specs = new Set(seen.flatMap(([, names]) => names.map((name) => `e2e/${name}.spec.ts`)));
  for (const file of changed) if (/^e2e\/.*\.spec\.ts$/.test(file)) specs.add(file);
  return {
    unit,
    left,
    e2e: [...specs].filter((file) => sources.has(file)).sort(),
    needsBuild: changed.some((file) => BUILT.test(file) && !isTest(file)),
  };
}

/** The number of files between each reached file and the change; 0 is the change itself. */
function distances(changed: string[], sources: Map<string, string>): Map<string, number> {
  const users = new Map<string, string[]>();
  for (const [file, text] of sources)
    for (const used of filesNamedIn(file, text, sources)) users.set(used, [...(users.get(used) ?? []), file]);
  const readersOf = (file: string) =>
    READ_ELSEWHERE.filter(([read]) => read.test(file)).map(([, reader]) => reader);
  const distance = new Map(changed.map((file) => [file, 0]));
  // Iterating a map includes entries added meanwhile.
  for (const [file, far] of distance)
    for (const user of [...(users.get(file) ?? []), ...readersOf(file)])
      if (!distance.has(user)) distance.set(user, far + 1);
  if (changed.some((file) => EVERYBODYS.test(file)))
    for (const file of sources.keys())
      if (isTest(file) && !distance.has(file)) distance.set(file, Number.MAX_SAFE_INTEGER);
  for (const file of distance.keys()) if (!sources.has(file)) distance.delete(file);
  return distance;
}

/** Run by `npm test -- full`. */
const isLong = (file: string) => /\.full\.test\.tsx?$/.test(file);
const isTest = (file: string) => /\.test\.tsx?$/.test(file);

/** The files that a file imports, starts or reads by path: every quoted text that is a file's path. */
function filesNamedIn(file: string, text: string, sources: Map<string, string>): Set<string> {
  const named = [...text.matchAll(/["'`]([\w@./()[\]-]+\.\w+)["'`]/g)].map(([, path = ""]) => path);
  const found = named.flatMap((path) =>
    path.startsWith("@/") ? path.slice(2) : [normalize(join(dirname(file), path)), normalize(path)],
  );
  return new Set(found.filter((path) => path !== file && sources.has(path)));
}

/** Paths that differ from the branch's base on `main`, or that git does not know yet. */
export function changedFiles(): string[] {
  const base = ["origin/main", "main"].find((branch) => git("rev-parse", "--verify", branch).status === 0);
  const left = base && linesOf(git("merge-base", "HEAD", base))[0];
  const differing = git("diff", "--name-only", "--no-renames", left ?? "HEAD");
  const unknown = git("ls-files", "--others", "--exclude-standard");
  return [...new Set([...linesOf(differing), ...linesOf(unknown)])];
}

/** The texts of all files, tracked or new, that may import others. */
export function readSources(): Map<string, string> {
  const files = linesOf(git("ls-files", "--cached", "--others", "--exclude-standard"));
  const code = files.filter((file) => /\.([cm]?[jt]sx?|json|css|md)$/.test(file) && existsSync(file));
  return new Map(code.map((file) => [file, /[jt]sx?$/.test(file) ? readFileSync(file, "utf8") : ""]));
}

function git(...args: string[]) {
  // Paths as they are, also beyond ASCII.
  const ran = spawnSync("git", ["-c", "core.quotePath=false", ...args], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (ran.error) throw ran.error;
  return ran;
}

function linesOf({ status, stdout, stderr }: ReturnType<typeof git>): string[] {
  if (status !== 0) throw new Error(`git does not say what was changed: ${stderr}`);
  return stdout.split("\n").filter((line) => line !== "");
}

/** How long the files took when Vitest last ran them: the cache by which it begins with the longest. */
const REPORTS = "node_modules/.vite/vitest/*/results.json";
/** Of a file that has not run here yet. */
const UNKNOWN_SECONDS = 2;

const reportSchema = z.object({
  projects: z.record(
    z.string(),
    z.object({ files: z.record(z.string(), z.object({ duration: z.number() })) }),
  ),
});

/** Returns a function from a test file to its seconds. */
export function lastDurations(): (file: string) => number {
  const seconds = new Map<string, number>();
  for (const path of globSync(REPORTS)) {
    const report = reportSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    for (const { files } of Object.values(report.projects))
      for (const [file, { duration }] of Object.entries(files)) seconds.set(file, duration / 1_000);
  }
  return (file) => seconds.get(file) ?? UNKNOWN_SECONDS;
}

const TAGGED = /\btags:\s*\[?[^\]]*"full"/;

/** Returns the test files with tests that have the tag `full`, by their text. Files named `*.full.test.ts` are not among them. */
export function filesWithLongTests(): string[] {
  return globSync("{lib,app,components,examples,scripts,prisma,test}/**/*.test.{ts,tsx}", {
    exclude: ["**/*.full.test.*"],
  })
    .filter((file) => TAGGED.test(readFileSync(file, "utf8")))
    .sort();
}
