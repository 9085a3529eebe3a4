/**
 * Checks that every route file makes its handlers in one of the two ways, and is in the list that the API's
 * description is made of. Prints `file  fault`. Checks the folder given as argument, or this project.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Route files that make handlers otherwise, and why. */
const EXCEPTIONS: Record<string, string> = {
  "app/api/auth/[...nextauth]/route.ts": "next-auth makes its own; proxy.ts sets the headers",
};
/** Route files in no list, and why. */
const UNLISTED: Record<string, string> = {
  "app/api/[...path]/route.ts": "it answers for what there is not",
  ...Object.fromEntries(
    [
      ...[
        "Bulk",
        "Me",
        "ServiceProviderConfig",
        "Schemas",
        "Schemas/[name]",
        "ResourceTypes",
        "ResourceTypes/[name]",
      ],
      ...["Users", "Users/[id]", "Groups", "Groups/[id]"],
    ].map((path) => [
      `app/api/scim/v2/${path}/route.ts`,
      "SCIM describes itself, in /Schemas; app/api/scim tests it",
    ]),
  ),
  "app/api/v1/openapi.json/route.ts": "it adds itself to the list, which it cannot import from there",
};

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const MADE = new Set(["endpoint", "route"]);
const PATHS = "app/api/v1/openapi.json/paths.ts";

const root = process.argv[2] ?? ".";
const read = (file: string) => readFileSync(join(root, file), "utf8");
const files = readdirSync(join(root, "app"), { recursive: true, encoding: "utf8" })
  .filter((name) => /(^|\/)route\.[jt]sx?$/.test(name))
  .map((name) => `app/${name}`);
const findings = files.flatMap((file) => check(file).map((missing) => `${file}  ${missing}`));
for (const finding of findings) process.stderr.write(`${finding}\n`);
process.stdout.write(`Routes: ${files.length} files, ${findings.length} wrong\n`);
process.exitCode = findings.length > 0 ? 1 : 0;

function check(file: string): string[] {
  if (file in EXCEPTIONS) return [];
  const text = read(file);
  const strange = METHODS.filter((name) => isExported(text, name) && !MADE.has(makerOf(text, name) ?? ""));
  return [
    ...strange.map((name) => `${name} is not made by endpoint() or route() of lib/web/http/route.ts`),
    ...(METHODS.some((name) => isExported(text, name)) ? [] : ["it exports no method"]),
    ...(/import \{[^}]*\} from "@\/lib\/web\/http\/route\.ts"/.test(text)
      ? []
      : ["lib/web/http/route.ts is not imported"]),
    ...(isListed(file) ? [] : [`${PATHS} does not have it`]),
  ];
}

function isExported(text: string, name: string): boolean {
  return new RegExp(`^export\\b[^;(]*\\b${name}\\b`, "m").test(text);
}

/**
 * Returns the function whose result is exported under the name, as in `export const { GET } = endpoint(…)`,
 * or through a constant.
 */
function makerOf(text: string, name: string): string | undefined {
  const [, direct] =
    new RegExp(`^export const (?:\\{[^}]*\\b${name}\\b[^}]*\\}|${name}) = (\\w+)\\(`, "m").exec(text) ?? [];
  if (direct) return direct;
  const [, local] = new RegExp(`^export \\{[^}]*?(?:\\b(\\w+) as )${name}\\b[^}]*\\};`, "m").exec(text) ?? [];
  return local && new RegExp(`^const ${local} = (\\w+)\\(`, "m").exec(text)?.[1];
}

function isListed(file: string): boolean {
  return file in UNLISTED || read(PATHS).includes(`from "@/${file}"`);
}
