/**
 * `npm run check:audit`: asks the registry for advisories on the production packages (`npm audit`), and fails on each
 * that nobody has reviewed. A review holds for one advisory of one package, for a reason, until a day.
 */
import { spawnSync } from "node:child_process";
import { z } from "zod";

export interface Review {
  /** The advisory, e.g. `GHSA-xxxx-xxxx-xxxx`. */
  id: string;
  package: string;
  /** Why Intray is not hit, in a sentence. */
  why: string;
  /** The last day of the review, `YYYY-MM-DD`; looked at anew after it. */
  until: string;
}

/** Add one only with the reason; the change's review is the review. */
const REVIEWED: Review[] = [];

const auditSchema = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(
        z.union([
          z.string(),
          z.object({ name: z.string(), title: z.string(), url: z.string(), severity: z.string() }),
        ]),
      ),
    }),
  ),
});

/** Returns what stands against a release, a sentence each. `said`: npm's report; `today`: `YYYY-MM-DD`. */
export function judgeAudit(said: unknown, reviewed: Review[], today: string): string[] {
  const { vulnerabilities } = auditSchema.parse(said);
  const found = new Map<string, string>();
  for (const { via } of Object.values(vulnerabilities))
    for (const one of via)
      if (typeof one !== "string")
        found.set(`${one.url.split("/").at(-1)} ${one.name}`, `${one.severity}: ${one.title} (${one.url})`);
  const reviews = new Map(reviewed.map((one) => [`${one.id} ${one.package}`, one]));
  const wrong = [...found].flatMap(([key, words]) => {
    const review = reviews.get(key);
    if (!review) return [`${key} is not reviewed. ${words}`];
    return review.until < today ? [`${key} was reviewed until ${review.until}. ${words}`] : [];
  });
  const over = [...reviews.keys()].filter((key) => !found.has(key));
  return [...wrong, ...over.map((key) => `${key} is found no more: take its review out.`)];
}

if (import.meta.main) {
  const { stdout } = spawnSync("npm", ["audit", "--omit", "dev", "--package-lock-only", "--json"], {
    encoding: "utf8",
  });
  const report = z.looseObject({}).safeParse(parse(stdout)).data ?? {};
  if (!("auditReportVersion" in report)) {
    process.stderr.write("The registry has not answered with advisories: nothing is known.\n");
    process.exit(2);
  }
  const wrong = judgeAudit(report, REVIEWED, new Date().toISOString().slice(0, 10));
  for (const line of wrong) process.stderr.write(`${line}\n`);
  process.stdout.write(`Advisories: ${wrong.length} to look at, ${REVIEWED.length} reviewed\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
