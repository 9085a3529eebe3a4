import { spawnSync } from "node:child_process";
import pg from "pg";
import { createDatabase } from "../../lib/base/db/db.ts";
import { ConfigurationError, env } from "../../lib/base/env.ts";
import { readKeys } from "../../lib/base/key-ring.ts";
import { countByKey } from "../../lib/base/key-rotation/reseal.ts";
import { asCommandUser } from "../../lib/mcp/wire/channels/child.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { knownMigrations } from "../../lib/web/http/readiness.ts";
import { ENGINE_SEEN_MS } from "../../lib/web/tunables.ts";
import { portIsFree } from "../ports.ts";
import { addresses, bad, clock, disk, type Finding, good, work } from "./doctor/health.ts";
import { isIntray, metrics, outside } from "./doctor/reach.ts";
import { CommandError, read } from "./usage.ts";
import { embeddedExists, sealingKeys, withOwnerUrl } from "./with-database.ts";

/**
 * Checks everything that a start and its operator need. Returns a line for each finding, and fails if one is
 * bad. Changes nothing.
 */
export async function doctor(args: string[]): Promise<string> {
  read(args, []);
  const findings = [...configuration()];
  if (findings.every((finding) => finding.ok))
    findings.push(
      ...commands(),
      ...(await database()),
      ...(await port()),
      await disk(),
      ...(await outside()),
    );
  const result = findings
    .map(({ ok, what, detail }) => `${ok ? "ok  " : "BAD "} ${what}: ${detail}`)
    .join("\n");
  const bad = findings.filter((finding) => !finding.ok).length;
  if (bad > 0) throw new CommandError(`${bad} of ${findings.length} checks failed.`, { result });
  return result;
}

function configuration(): Finding[] {
  try {
    const { databaseUrl, authSecret, url } = env();
    const keys = readKeys(env());
    operatorServers();
    const missing = databaseUrl
      ? [...(keys ? [] : ["INTRAY_KEYS"]), ...(authSecret ? [] : ["AUTH_SECRET"])]
      : [];
    if (missing.length > 0)
      return [bad("configuration", `with DATABASE_URL, ${missing.join(" and ")} must be set too`)];
    return [good("configuration", `readable; the address is ${url}`)];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [bad("configuration", error.message)];
  }
}

async function database(): Promise<Finding[]> {
  if (!env().databaseUrl && !embeddedExists())
    return [good("database", "the embedded one, which the first start will make")];
  try {
    return await withOwnerUrl(async (ownerUrl, started) => {
      const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000 });
      await client.connect();
      try {
        const found = await migrations(client);
        if (found.some(({ ok }) => !ok)) return found;
        found.push(await sealed(ownerUrl), await clock(client), await addresses(client));
        // A database started for this command alone has no engine, and needs none.
        return started ? found : [...found, await engine(client), await work(client)];
      } finally {
        await client.end();
      }
    });
  } catch (error) {
    return [bad("database", (error as Error).message || "it does not answer")];
  }
}

async function migrations(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ version: string }>(
    "SELECT current_setting('server_version') AS version",
  );
  const answers = good("database", `Postgres ${rows[0]?.version} answers`);
  const table = await client.query<{ made: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS made",
  );
  const applied = table.rows[0]?.made
    ? await client.query<{ name: string }>(
        "SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
      )
    : { rows: [] };
  const names = applied.rows.map((row) => row.name);
  const pending = (await knownMigrations()).filter((name) => !names.includes(name));
  if (pending.length > 0)
    return [answers, bad("migrations", `not applied: ${pending.join(", ")}; run migrate`)];
  return [answers, good("migrations", "all applied")];
}

async function sealed(ownerUrl: string): Promise<Finding> {
  const [current, ...older] = sealingKeys().map(({ kid }) => kid);
  const db = createDatabase(ownerUrl, { connections: 1 });
  const counts = await countByKey(db).finally(() => db.close());
  const under = ([kid, count]: [string, number]) => `${count} under "${kid}"`;
  const missing = [...counts].filter(([kid]) => kid !== current && !older.includes(kid));
  if (missing.length > 0)
    return bad(
      "secrets",
      `sealed with keys that INTRAY_KEYS does not have: ${missing.map(under).join(", ")}`,
    );
  const old = [...counts].filter(([kid]) => kid !== current);
  const all = `${counts.get(current ?? "") ?? 0} sealed under "${current}"`;
  return good("secrets", old.length > 0 ? `${all}, still ${old.map(under).join(", ")}; run reseal` : all);
}

async function engine(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ alive: number }>(
    "SELECT count(*)::integer AS alive FROM engine WHERE seen_at > now() - $1 * interval '1 ms'",
    [ENGINE_SEEN_MS],
  );
  const alive = rows[0]?.alive ?? 0;
  if (alive === 0) return bad("engine", "none was seen in the last 15 s; no task moves without one");
  return good("engine", `${alive} running`);
}

async function port(): Promise<Finding[]> {
  const { port, host } = env();
  const free = await portIsFree(port, host).catch(
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  if (free === true) return [good("port", `${host}:${port} is free`)];
  if (free !== false) return [bad("port", `cannot listen on ${host}:${port} (${free})`)];
  if (!(await isIntray())) return [bad("port", `${host}:${port} is used by another program`)];
  return [good("port", `Intray listens on ${host}:${port}`), await metrics()];
}

/** Says nothing where no entry of the operator's file is a command. */
export function commands(): Finding[] {
  if (![...operatorServers().values()].some(({ endpoint }) => "command" in endpoint)) return [];
  const { commandUser } = env();
  if (!commandUser) {
    const words = "run as Intray's own user, and can read its secrets; INTRAY_COMMAND_USER names another one";
    return [good("commands", words)];
  }
  const [program, args] = asCommandUser(commandUser, "true", []);
  const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return [good("commands", `run as user ${commandUser.uid}`)];
  const why = error ? "setpriv (util-linux) was not found" : stderr.trim();
  return [bad("commands", `cannot run as user ${commandUser.uid}, so they are not run: ${why}`)];
}
