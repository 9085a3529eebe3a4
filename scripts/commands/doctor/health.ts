/** Checks a running installation: its clock, its disk, its work. */

import { statfs } from "node:fs/promises";
import ipaddr from "ipaddr.js";
import type pg from "pg";
import { env } from "../../../lib/base/env.ts";
import { staysOnThisMachine } from "../../../lib/base/network/address.ts";
import { isAddress } from "../../../lib/web/http/client-address.ts";
import { FIGURES_CAP } from "../../../lib/web/tunables.ts";
import { embeddedExists } from "../with-database.ts";

export interface Finding {
  ok: boolean;
  what: string;
  detail: string;
}

export function good(what: string, detail: string): Finding {
  return { ok: true, what, detail };
}

export function bad(what: string, detail: string): Finding {
  return { ok: false, what, detail };
}

/** Most skew between this clock, which stamps texts for people, and the database's, which decides. */
const MOST_SKEW_MS = 2_000;
/** Least free disk space for a database of Intray's to go on for a while. */
const LEAST_FREE_BYTES = 1024 ** 3;
/** The same limit as the alert rules: ops/prometheus/alerts.yml. */
const MOST_LAG_S = 300;

export async function clock(client: pg.Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query<{ ms: number }>(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms",
  );
  const after = Date.now();
  const skew = Math.round((rows[0]?.ms ?? 0) - (before + after) / 2);
  // The query's own duration may explain the difference.
  const sure = Math.max(0, Math.abs(skew) - (after - before));
  if (sure > MOST_SKEW_MS)
    return bad("clock", `the database's is ${Math.abs(skew)} ms ${skew > 0 ? "ahead" : "behind"}`);
  return good("clock", "the database's and this machine's agree");
}

/** Checks the disk of the embedded database; another one's disk is out of sight. */
export async function disk(): Promise<Finding> {
  if (env().databaseUrl) return good("disk", "the database is elsewhere");
  if (!embeddedExists()) return good("disk", "no data yet");
  const { bavail, bsize } = await statfs(env().dataDir);
  const free = bavail * bsize;
  const words = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${env().dataDir}`;
  return free < LEAST_FREE_BYTES ? bad("disk", words) : good("disk", words);
}

/** Checks for work that an engine should have done by now. */
export async function work(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ figure: string; label: string; value: number | null }>(
    "SELECT * FROM gate.figures($1)",
    [FIGURES_CAP],
  );
  const late = rows.flatMap(({ figure, label, value }) => {
    if ((value ?? 0) <= MOST_LAG_S) return [];
    const minutes = `${Math.round((value ?? 0) / 60)} min`;
    if (figure === "follower_lag_seconds") return [`${label} is ${minutes} behind the history`];
    if (figure === "overdue_delivery_seconds") return [`an answer has waited for ${minutes} to be delivered`];
    return [];
  });
  return late.length > 0 ? bad("work", late.join("; ")) : good("work", "nothing is late");
}

/** Says which addresses people come from, by the sign-ins of a week, and whether a proxy seems to hide them. */
export async function addresses(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ address: string; last: Date }>(
    `SELECT address, max(created_at) AS last FROM session WHERE address IS NOT NULL AND method <> 'demo'
      AND created_at > now() - interval '7 days' GROUP BY address ORDER BY last DESC LIMIT 1000`,
  );
  const { trustedProxies, host, url } = env();
  const trusted = `INTRAY_TRUSTED_PROXIES is ${trustedProxies}`;
  const [newest] = rows;
  if (!newest) return good("addresses", `nobody signed in lately to judge by; ${trusted}`);
  const seen = `the last sign-in came from ${newest.address}, those of a week from ${rows.length} in all; ${trusted}`;
  const isInside = isAddress(newest.address) && ipaddr.process(newest.address).range() !== "unicast";
  if (rows.length === 1 && isInside && !staysOnThisMachine({ host, url }))
    return bad("addresses", `${seen}. If that is a proxy's, set it to the number of proxies in front`);
  return good("addresses", seen);
}
