/**
 * What Intray sends to Postgres, from Postgres's own log, and what Postgres does for it, from `pg_stat_statements`. Both cost
 * time themselves, so nothing else is measured meanwhile. The log tells binding from running, and binding sets a plan up
 * for its run too; only the extension tells what planning itself took.
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

export interface Counted {
  text: string;
  /** Sent by web or engine; else within a function, or by a foreign key. */
  isOutermost: boolean;
  calls: number;
  planMs: number;
  /** That of what runs within it too. */
  runMs: number;
}

/** Settings that a Postgres needs for `counted`. */
export const COUNTED = [
  "shared_preload_libraries=pg_stat_statements",
  "pg_stat_statements.track=all",
  "pg_stat_statements.track_planning=on",
];

/** What Postgres counted of web's and engine's statements while `work` ran; what took longest first. */
export async function counted(adminUrl: string, work: () => Promise<unknown>): Promise<Counted[]> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  await admin.query("SELECT pg_stat_statements_reset()");
  await work();
  const { rows } =
    await admin.query<Counted>(`SELECT query AS text, toplevel AS "isOutermost", sum(calls)::float8 AS calls,
      sum(total_plan_time) AS "planMs", sum(total_exec_time) AS "runMs"
    FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
    WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND query NOT LIKE '%pg_stat_statements%'
    GROUP BY query, toplevel ORDER BY sum(total_plan_time + total_exec_time) DESC`);
  await admin.end();
  return rows;
}
