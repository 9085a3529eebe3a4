/**
 * Checks that every route file makes its handlers in one of the two ways. Prints `file  fault`. Checks the folder given as argument, or this project.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Route files that make handlers otherwise, and why. */
const EXCEPTIONS: Record<string, string> = {
  "app/api/auth/[...nextauth]/route.ts": "next-auth makes its own; proxy.ts sets the headers",
};
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const MADE = new Set(["endpoint", "route"]);

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
