/**
 * What Intray sends to Postgres, from Postgres's own log: the embedded Postgres has no pg_stat_statements. The log costs
 * time itself, so nothing else is measured meanwhile.
 */
import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface Logged {
  /** Who sent it: `web` or `engine`. */
  by: string;
  text: string;
  /** Statements of the simple protocol, as BEGIN, are parsed and planned within their execution. */
  count: number;
  /** How often it was parsed, which a prepared statement is once a connection. */
  parsed: number;
  parseMs: number;
  /** Binding the parameters, which makes the plan. */
  planMs: number;
  runMs: number;
}

const BY: Record<string, string> = { intray_app: "web", intray_engine: "engine" };
const LINE =
  /^<(\w*)> LOG: {2}duration: ([\d.]+) ms {2}(parse|bind|execute|statement)(?: (?:fetch from )?([^:\n]*))?: ([\s\S]*)$/;

/** Has Postgres log every statement with its times while `work` runs. */
export async function logged(
  adminUrl: string,
  logFile: string,
  work: () => Promise<void>,
): Promise<Logged[]> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const set = async (settings: Record<string, string>) => {
    for (const [name, value] of Object.entries(settings))
      await admin.query(`ALTER SYSTEM SET ${name} = ${pg.escapeLiteral(value)}`);
    await admin.query("SELECT pg_reload_conf()");
    // Backends read it before their next statement, once the signal is there.
    await sleep(500);
  };
  await set({
    log_line_prefix: "<%u> ",
    log_min_duration_statement: "0",
    log_parameter_max_length: "0",
  });
  const from = statSync(logFile).size;
  await work();
  const text = readFileSync(logFile).subarray(from).toString();
  await set({ log_min_duration_statement: "-1" });
  await admin.end();
  return parse(text);
}

function parse(text: string): Logged[] {
  const found = new Map<string, Logged>();
  for (const entry of text.split(/^(?=<\w*> [A-Z]+: )/m)) {
    const [, user = "", ms, what, , words = ""] = LINE.exec(entry) ?? [];
    const by = BY[user];
    if (!by || what === undefined) continue;
    const statement = words.replace(/\s+/g, " ").trim();
    const known = found.get(`${by} ${statement}`) ?? {
      ...{ by, text: statement, count: 0, parsed: 0 },
      ...{ parseMs: 0, planMs: 0, runMs: 0 },
    };
    found.set(`${by} ${statement}`, known);
    if (what === "parse") {
      known.parsed++;
      known.parseMs += Number(ms);
    } else if (what === "bind") known.planMs += Number(ms);
    else {
      known.count++;
      known.runMs += Number(ms);
    }
  }
  return [...found.values()];
}
