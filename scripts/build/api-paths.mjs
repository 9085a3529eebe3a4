/** Writes the list of routes that the API's description is made of. Plain JavaScript, for bootstrap.mjs. */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const FILE = "app/api/v1/openapi.json/paths.ts";

/** Routes that are not described: SCIM describes itself, and the description adds itself. */
const LEFT_OUT = [/\[\.\.\./, /^api\/scim\//, /^api\/v1\/openapi\.json$/];

/** Whether the list has the routes that there are. */
export function areApiPathsCurrent() {
  return existsSync(FILE) && readFileSync(FILE, "utf8") === listed();
}

export function writeApiPaths() {
  if (areApiPathsCurrent()) return;
  // Another process may read it at any moment.
  writeFileSync(`${FILE}.${process.pid}`, listed());
  renameSync(`${FILE}.${process.pid}`, FILE);
}

function listed() {
  const folders = readdirSync("app", { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /(^|\/)route\.ts$/.test(path))
    .map((path) => path.slice(0, -"/route.ts".length))
    .filter((folder) => !LEFT_OUT.some((pattern) => pattern.test(folder)))
    .sort();
  const imports = folders.map((folder, n) => `import * as route${n} from "@/app/${folder}/route.ts";`);
  const members = folders.map((folder, n) => `  "/${folder.replaceAll(/\[(\w+)\]/g, "{$1}")}": route${n},`);
  return [
    "// Written by scripts/build/api-paths.mjs.",
    ...imports,
    'import type { Paths } from "@/lib/web/http/openapi.ts";',
    "",
    "export const paths: Paths = {",
    ...members,
    "};",
    "",
  ].join("\n");
}
