/** Holds the one-way rule of imports, and what only one file may touch. Prints `file:line  rule`. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { refuseCall, refuseImport } from "./network-access.ts";

type Finding = { file: string; line: number; rule: string };

const bases = /^lib\/[^/]+\.ts$/;
const clientSafe =
  /^(components\/|lib\/[^/]+\/(schema|status|roles|permissions|attention)\.tsx?$|lib\/format\/|public\/)/;
const nounless = new Set(["engine", "mcp", "web", "testing", "generated", "format"]);

/** Which of our files a file may import. What is not listed (scripts, e2e, prisma, tests) may import anything but app. */
function mayImport(from: string, to: string): string | undefined {
  const layer = layerOf(from);
  const target = layerOf(to);
  if (target === "app" && layer !== "app") return "nothing imports app";
  if (from.startsWith("components/") && !clientSafe.test(to))
    return "components import client-safe files only";
  const allowed = {
    base: ["base", "generated"],
    format: ["format", "noun", "base"],
    mcp: ["mcp", "base"],
    noun: ["noun", "mcp", "format", "base", "generated"],
    engine: ["engine", "noun", "mcp", "format", "base", "generated"],
    web: ["web", "engine", "noun", "mcp", "format", "base", "generated"],
  }[layer];
  if (!allowed || allowed.includes(target)) return undefined;
  return `lib's ${layer} imports ${allowed.join(", ")}, not ${target}`;
}

function layerOf(file: string): string {
  if (!file.startsWith("lib/")) return file.split("/")[0] ?? "";
  if (bases.test(file)) return "base";
  const folder = file.split("/")[1] ?? "";
  return nounless.has(folder) ? folder : "noun";
}

function checkImport(file: string, specifier: string, typeOnly: boolean): string | undefined {
  const own = ownFile(file, specifier);
  if (own !== undefined) {
    // A type is erased, so it pulls nothing along; only the app's are nobody else's business.
    if (typeOnly) return own.startsWith("app/") ? mayImport(file, own) : undefined;
    if (/^lib\/generated\/.*\/client/.test(own) && file !== "lib/base/db/db.ts")
      return "only lib/base/db/db.ts imports the generated client";
    return /\.tsx?$/.test(own) ? mayImport(file, own) : undefined;
  }
  const wayOut = refuseImport(file, specifier, typeOnly);
  if (wayOut) return wayOut;
  const inApp = file.startsWith("app/") || file.startsWith("components/");
  if (/^react(-dom)?(\/|$)/.test(specifier) && !inApp && !file.startsWith("lib/web/")) {
    return "only components and app import react";
  }
  if (/^next(-auth)?(\/|$)/.test(specifier) && file.startsWith("lib/") && !file.startsWith("lib/web/")) {
    return "only lib/web and app import next";
  }
  return undefined;
}

/** The path from the root, or undefined for a package. */
function ownFile(file: string, specifier: string): string | undefined {
  if (specifier.startsWith("@/")) return specifier.slice(2);
  if (specifier.startsWith(".")) return normalize(join(dirname(file), specifier));
  return undefined;
}

function checkLine(file: string, text: string): string | undefined {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*/, "").replace(/(^|\s)\/\/.*/, "");
  const server = file.startsWith("lib/") && !file.startsWith("lib/testing/");
  if (server && file !== "lib/base/env.ts" && /\bprocess\.env\b/.test(code))
    return "only lib/base/env.ts reads process.env";
  if (file.startsWith("app/") && /\bprocess\.env\b/.test(code))
    return "only lib/base/env.ts reads process.env";
  return refuseCall(file, code);
}

const importPattern =
  /(?:^|\n)[ \t]*(?:import|export)\b(?<clause>[^"'`;]*?)(?:from\s*)?["'](?<static>[^"'\n]+)["']|\bimport\(\s*["'](?<dynamic>[^"'\n]+)["']\s*\)/g;

function check(file: string): Finding[] {
  const text = readFileSync(file, "utf8");
  const isTest = /\.test\.tsx?$/.test(file) || file.startsWith("lib/testing/");
  const findings: Finding[] = [];
  if (!isTest) {
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
  }
  return findings;
}

const files = ["app", "components", "lib", "scripts", "prisma", "examples"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("lib/generated/")),
);
const findings = files.flatMap(check);
for (const { file, line, rule } of findings) process.stderr.write(`${file}:${line}  ${rule}\n`);
process.stdout.write(`Imports: ${files.length} files, ${findings.length} wrong\n`);
process.exitCode = findings.length ? 1 : 0;
