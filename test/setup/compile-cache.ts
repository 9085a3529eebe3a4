/**
 * Compiling takes half the start of a process of ours. Node caches the outcome where NODE_COMPILE_CACHE says,
 * but only a process that ends by itself writes it, and tests kill most of theirs.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/intray-compiled", import.meta.url));
const STARTED = [
  "lib/engine/open-engine.ts",
  "examples/invoice-server/invoices/workflow.ts",
  "examples/invoice-server/protocol/sessions.ts",
];

/** Sets NODE_COMPILE_CACHE for all processes that this one starts, and fills the cache the first time. */
export async function keepCompiled(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= FOLDER;
  if (existsSync(process.env.NODE_COMPILE_CACHE)) return;
  const imports = STARTED.map(
    (path) => `await import(${JSON.stringify(new URL(`../../${path}`, import.meta.url))});`,
  );
  const script = [
    ...imports,
    'process.getBuiltinModule("node:module").flushCompileCache(); process.exit();',
  ].join("\n");
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
}
