/**
 * Checks that imports run one way, that no folder has too many files, that reserved modules have one importer,
 * that texts reach the page one way, and that dates and numbers are written one way. Prints `file:line  rule`. Biome finds import cycles within a room (noImportCycles).
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { refuseCall, refuseImport } from "./network-access.ts";

type Finding = { file: string; line: number; rule: string };

/** The rooms of the product, from the ground up; each may import earlier ones. See docs/architecture.md. */
const ROOMS = [
  ...["lib/generated", "lib/text", "lib/base", "lib/access", "lib/history", "lib/mcp", "lib/servers"],
  ...["lib/people", "lib/agents", "lib/policy", "lib/tasks", "lib/requests", "lib/outbound", "lib/lifecycle"],
  ...["lib/engine", "lib/web", "components", "app"],
];
/** Folders outside the product may import all of it, except the app's pages and routes. */
const AROUND = ["scripts", "prisma", "examples", "test"];
/** Most code files of one folder, without tests and Next's own files. */
const MOST_FILES = 20;
const NEXTS = /^(page|layout|route|loading|error|not-found|default|template|global-error)\.tsx?$/;

const clientSafe =
  /^(components\/|lib\/(text|access|web\/client|web\/words)\/|lib\/.+\/words\/|lib\/.+\/([\w-]+-)?(schema|status|attention|words)\.tsx?$|public\/)/;

/** Code that runs in browsers. */
const BROWSER = /^(components|lib\/web\/client)\//;

/** Returns why a file may not import another, or undefined if it may. */
function refuseRoom(from: string, to: string, typeOnly: boolean): string | undefined {
  const [own, other] = [roomOf(from), roomOf(to)];
  if (other === "app" && own !== "app") return "nothing imports app";
  // A type is erased, so it brings no code into the browser.
  if (BROWSER.test(from) && !typeOnly && !clientSafe.test(to))
    return "what runs in browsers imports client-safe files only";
  if (AROUND.includes(own)) return undefined;
  if (AROUND.includes(other)) return `the product does not import ${other}`;
  if (ROOMS.indexOf(own) === -1) return `${own} has no place in the order of rooms`;
  return ROOMS.indexOf(other) > ROOMS.indexOf(own) ? `${own} is below ${other}` : undefined;
}

function roomOf(file: string): string {
  const [top = "", next = ""] = file.split("/");
  return top === "lib" ? `lib/${next}` : top;
}

function checkImport(file: string, specifier: string, typeOnly: boolean): string | undefined {
  const own = ownFile(file, specifier);
  if (own !== undefined) {
    // Types of the generated client are erased, so any file may import them.
    if (!typeOnly && /^lib\/generated\/.*\/client/.test(own) && !/^lib\/base\/(db|content)\//.test(file))
      return "only lib/base/db and lib/base/content import the generated client";
    return /\.tsx?$/.test(own) ? refuseRoom(file, own, typeOnly) : undefined;
  }
  const wayOut = refuseImport(file, specifier, typeOnly);
  if (wayOut) return wayOut;
  if (/^react(-dom)?(\/|$)/.test(specifier) && !/^(app|components|lib\/web)\//.test(file)) {
    return "only components, app and lib/web import react";
  }
  if (/^next(-auth)?(\/|$)/.test(specifier) && file.startsWith("lib/") && !file.startsWith("lib/web/")) {
    return "only lib/web and app import next";
  }
  return undefined;
}

/** Returns the path from the root, or undefined for a package. */
function ownFile(file: string, specifier: string): string | undefined {
  if (specifier.startsWith("@/")) return specifier.slice(2);
  if (specifier.startsWith(".")) return normalize(join(dirname(file), specifier));
  return undefined;
}

/** Ways to the page on which no hidden character is marked. */
const PAST_JSX =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|jsxImportSource)\b|"react\/jsx|(?<!\.)\bcreateElement\(/;
const MAKES_ELEMENTS = new Set([
  "components/jsx/jsx-runtime.ts",
  "components/jsx/jsx-dev-runtime.ts",
  "components/ui/lazy-component.tsx",
  "app/theme-script.tsx",
]);

/** Has lines of code as a text, which another program runs. */
const SET_UP = "lib/agents/hook-set-up-words.ts";

function checkLine(file: string, text: string): string | undefined {
  if (file === SET_UP) return undefined;
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*/, "").replace(/(^|\s)\/\/.*/, "");
  if (
    /^(app|components|lib\/web\/words)\/|\/words\/|-words\.ts$/.test(file) &&
    /\.toLocale\w*String\(|\bIntl\.(Date|Number|Rel)/.test(code)
  )
    return "dates and numbers on screen are written by useFormats()";
  if (/^(app|components)\//.test(file) && !MAKES_ELEMENTS.has(file) && PAST_JSX.test(code))
    return "texts reach the page by JSX, which marks hidden characters in them (components/jsx)";
  if (/^(lib|app)\//.test(file) && file !== "lib/base/env.ts" && /\bprocess\.env\b/.test(code))
    return "only lib/base/env.ts reads process.env";
  return refuseCall(file, code);
}

const importPattern =
  /(?:^|\n)[ \t]*(?:import|export)\b(?<clause>[^"'`;]*?)(?:from\s*)?["'](?<static>[^"'\n]+)["']|\bimport\(\s*["'](?<dynamic>[^"'\n]+)["']\s*\)/g;

function check(file: string): Finding[] {
  const text = readFileSync(file, "utf8");
  const findings: Finding[] = [];
  for (const match of text.matchAll(importPattern)) {
    const { clause = "", static: named, dynamic } = match.groups ?? {};
    const rule = checkImport(file, named ?? dynamic ?? "", /^\s*type\b/.test(clause));
    const end = (match.index ?? 0) + match[0].length;
    if (rule) findings.push({ file, line: text.slice(0, end).split("\n").length, rule });
  }
  text.split("\n").forEach((content, index) => {
    const rule = checkLine(file, content);
    if (rule) findings.push({ file, line: index + 1, rule });
  });
  return findings;
}

/** Reports folders with too many code files to find one's way in. */
function checkFolders(files: string[]): Finding[] {
  const byFolder = Map.groupBy(files, dirname);
  return [...byFolder].flatMap(([file, { length }]) =>
    length > MOST_FILES
      ? [{ file, line: 1, rule: `${length} files: at most ${MOST_FILES} are in one folder` }]
      : [],
  );
}

const ALL = ["app", "components", "lib", "scripts", "prisma", "examples", "test", "e2e", "bench", "ops"];
const code = ALL.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.startsWith("lib/generated/"))
    .filter((file) => !/\.(test|spec)\.tsx?$/.test(file)),
);
const files = code.filter((file) => /\.tsx?$/.test(file) && !/^(test|e2e|bench|ops)\//.test(file));
const findings = [
  ...files.flatMap(check),
  ...checkFolders(code.filter((file) => !NEXTS.test(basename(file)))),
];
for (const { file, line, rule } of findings) process.stderr.write(`${file}:${line}  ${rule}\n`);
process.stdout.write(`Imports: ${files.length} files, ${findings.length} wrong\n`);
process.exitCode = findings.length ? 1 : 0;
