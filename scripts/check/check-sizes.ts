/**
 * `node scripts/check/check-sizes.ts`, after a build: compares the gzipped size of each page's first load
 * with its budget. Exits 1 if a page exceeds its budget, or has none.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { z } from "zod";

/** Bytes of scripts. About 136,000 of each page are React and Next. Budgets leave about 5 % to grow. */
const BUDGETS: Record<string, number> = {
  "/": 174_000,
  "/_global-error": 143_000,
  "/_not-found": 143_000,
  "/[...missing]": 174_000,
  "/activity": 197_500,
  "/agents/sign-in": 160_500,
  "/get-started": 240_500,
  // Includes scripts for errors that are only preloaded: e2e/first-load.spec.ts counts what the first card loads.
  "/inbox/[[...id]]": 233_500,
  "/join": 197_500,
  "/not-from-here": 165_000,
  "/notices": 194_000,
  "/overview": 230_000,
  "/receipts/[id]": 171_000,
  "/servers": 225_500,
  "/servers/[id]": 254_500,
  "/servers/agents": 178_500,
  "/servers/agents/[id]": 194_500,
  "/set-password": 187_000,
  "/settings": 183_500,
  "/settings/answers": 220_000,
  "/settings/api-keys": 222_500,
  "/settings/appearance": 183_500,
  "/settings/away": 220_500,
  "/settings/call-rules": 229_500,
  "/settings/keyboard": 181_500,
  "/settings/members": 228_500,
  "/settings/channels": 221_000,
  "/settings/organization": 223_000,
  "/settings/policy": 214_000,
  "/settings/calendar": 221_000,
  "/settings/groups": 210_000,
  "/settings/retention": 222_000,
  "/settings/saml": 220_000,
  "/settings/security": 227_000,
  "/settings/slack": 220_000,
  "/settings/teams": 220_500,
  "/settings/standing-approvals": 190_000,
  "/settings/audit-streams": 185_500,
  "/settings/directory": 219_500,
  "/settings/sign-in": 186_500,
  "/sign-in/second-factor": 198_000,
  "/forgot-password": 185_500,
  "/settings/webhooks": 186_000,
  "/setup": 194_500,
  "/sign-in": 163_500,
  "/unsubscribe": 155_000,
  "/tasks": 242_000,
  "/tasks/[id]": 286_000,
  "/tasks/bulk/[id]": 193_000,
  "/tasks/new": 264_500,
};
const STYLES_BUDGET = 20_000;

const MANIFEST = "page_client-reference-manifest.js";
const buildSchema = z.object({ rootMainFiles: z.array(z.string()) });
const pagesSchema = z.record(
  z.string(),
  z.object({
    entryJSFiles: z.record(z.string(), z.array(z.string())),
    entryCSSFiles: z.record(z.string(), z.array(z.object({ path: z.string() }))),
  }),
);

export interface PageSize {
  /** The route without its groups of folders, which appear in no address. */
  page: string;
  scripts: number;
  styles: number;
}

/** The sizes of the pages built in `folder`, heaviest first. */
function pageSizes(folder = ".next"): PageSize[] {
  const { rootMainFiles } = buildSchema.parse(
    JSON.parse(readFileSync(join(folder, "build-manifest.json"), "utf8")),
  );
  const app = resolve(folder, "server/app");
  const load = createRequire(join(app, "sizes.js"));
  // Each of these files adds itself to this object.
  const shared = globalThis as { __RSC_MANIFEST?: unknown };
  shared.__RSC_MANIFEST = {};
  for (const path of readdirSync(app, { recursive: true }).map(String))
    if (path.endsWith(MANIFEST)) load(join(app, path));
  const weigh = (files: string[]) =>
    [...new Set(files)].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).byteLength, 0);
  return Object.entries(pagesSchema.parse(shared.__RSC_MANIFEST))
    .map(([name, { entryJSFiles, entryCSSFiles }]) => ({
      page: name.replace(/\/\([^)]+\)/g, "").replace(/\/page$/, "") || "/",
      scripts: weigh([...rootMainFiles, ...Object.values(entryJSFiles).flat()]),
      styles: weigh(
        Object.values(entryCSSFiles)
          .flat()
          .map(({ path }) => path),
      ),
    }))
    .sort((a, b) => b.scripts - a.scripts);
}

/** Returns a line for each page over its budget or without one. */
export function overBudget(sizes: PageSize[]): string[] {
  const number = (bytes: number) => bytes.toLocaleString("en-US");
  return sizes.flatMap(({ page, scripts, styles }) => {
    const budget = BUDGETS[page];
    const wrong: string[] = [];
    if (budget === undefined) wrong.push(`${page} has no budget in scripts/check/check-sizes.ts`);
    else if (scripts > budget)
      wrong.push(`the scripts of ${page} weigh ${number(scripts)} bytes; ${number(budget)} may be`);
    if (styles > STYLES_BUDGET)
      wrong.push(`the styles of ${page} weigh ${number(styles)} bytes; ${number(STYLES_BUDGET)} may be`);
    return wrong;
  });
}

if (import.meta.main) {
  const sizes = pageSizes();
  for (const { page, scripts, styles } of sizes)
    process.stdout.write(`${String(scripts).padStart(9)} ${String(styles).padStart(8)}  ${page}\n`);
  const wrong = overBudget(sizes);
  for (const line of wrong) process.stderr.write(`${line}\n`);
  process.stdout.write(`Sizes: ${sizes.length} pages, ${wrong.length} wrong\n`);
  if (wrong.length > 0) process.exitCode = 1;
}
