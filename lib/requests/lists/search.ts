/** Searches of requests: by what their rows show. */

import { Prisma, type Tx } from "../../base/db/db.ts";
import { containing } from "../../base/db/search.ts";
import { readMoney } from "../../text/money.ts";
import type { RequestState } from "../request-schema.ts";
import { isLive } from "../request-status.ts";
import { AMOUNT } from "./filter.ts";

/** What a search looks for. */
export interface Sought {
  /** In the message, the tool, the label and the arguments. */
  words: string;
  /** The amount that the words are, as `8,320.00` or `$8,320`; null: they are none. */
  amount: number | null;
  /** Members, agents and API keys with such a name, who may have asked. A service account's keys have its name. */
  people: string[];
  agents: string[];
  keys: string[];
  /** Servers with such a name. Where there are any, enough requests match to be found without an index. */
  servers: string[];
}

/** Reads what a search looks for; null: there is none. */
export async function readSought(tx: Tx, q: string | undefined): Promise<Sought | null> {
  const words = q?.trim();
  if (!words) return null;
  const { organizationId } = tx;
  const named = (name: Prisma.Sql) => Prisma.sql`strpos(lower(${name}), lower(${words})) > 0`;
  const [found] = await tx.$queryRaw<Pick<Sought, "people" | "agents" | "keys" | "servers">[]>`
    SELECT ARRAY(SELECT s.id FROM server s WHERE s.organization_id = ${organizationId}::uuid
        AND ${named(Prisma.sql`s.name`)}) AS servers,
      ARRAY(SELECT u.id FROM membership m JOIN "user" u ON u.id = m.user_id
        WHERE m.organization_id = ${organizationId}::uuid AND ${named(Prisma.sql`u.name`)}) AS people,
      ARRAY(SELECT a.id FROM agent_credential a WHERE a.organization_id = ${organizationId}::uuid
        AND ${named(Prisma.sql`a.name`)}) AS agents,
      ARRAY(SELECT k.id::text FROM api_key k
        LEFT JOIN service_account a ON a.organization_id = k.organization_id AND a.id = k.service_account_id
        WHERE k.organization_id = ${organizationId}::uuid AND ${named(Prisma.sql`coalesce(a.name, k.name)`)}) AS keys`;
  const { people = [], agents = [], keys = [], servers = [] } = found ?? {};
  return { words, amount: readMoney(words)?.value ?? null, people, agents, keys, servers };
}

/** The columns of a request `r` that are searched. */
export const SAID_IN = Prisma.sql`, r.search, r.amount, r.requester_user_id, r.server_id, r.task_id, r.organization_id`;

/** Matches rows of `alias`, which has the columns of `SAID_IN`. */
export function saidIn(alias: Prisma.Sql, sought: Sought): Prisma.Sql {
  const { words, amount, people, servers } = sought;
  const ways = [textIn(alias, words)];
  if (servers.length > 0) ways.push(Prisma.sql`${alias}.server_id = ANY (${servers}::uuid[])`);
  if (amount !== null) ways.push(Prisma.sql`${alias}.amount = ${String(amount)}::float8`);
  if (people.length > 0) ways.push(Prisma.sql`${alias}.requester_user_id = ANY (${people}::uuid[])`);
  const programs = byProgram(Prisma.sql`asked`, sought);
  if (programs.length > 0)
    ways.push(Prisma.sql`EXISTS (SELECT FROM task asked WHERE asked.organization_id = ${alias}.organization_id
      AND asked.id = ${alias}.task_id AND (${Prisma.join(programs, " OR ")}))`);
  return Prisma.sql`(${Prisma.join(ways, " OR ")})`;
}

/** Conditions on a task `alias`, one of which holds if an agent or a key of the search asked for it. Each has an index. */
function byProgram(alias: Prisma.Sql, { agents, keys }: Sought): Prisma.Sql[] {
  return [
    ...(agents.length > 0 ? [Prisma.sql`${alias}.agent_id = ANY (${agents}::uuid[])`] : []),
    ...(keys.length > 0
      ? [
          Prisma.sql`(${alias}.requested_by ->> 'kind' = 'key' AND ${alias}.requested_by ->> 'id' = ANY (${keys}::text[]))`,
        ]
      : []),
  ];
}

/** `strpos` is several times as quick as LIKE. */
function textIn(alias: Prisma.Sql, words: string): Prisma.Sql {
  return Prisma.sql`strpos(${alias}.search COLLATE "C", lower(${words})) > 0`;
}

/**
 * The ids of requests that a search without servers is about, each way along an index. Requests outside `states` may be among
 * them.
 */
export function soughtIds(organizationId: string, sought: Sought, states: RequestState[]): Prisma.Sql {
  const { words, amount, people } = sought;
  const live = states.filter(isLive);
  const hasEnded = live.length < states.length;
  const ways: Prisma.Sql[] = [];
  if (live.length > 0)
    ways.push(Prisma.sql`SELECT live.input_request_id FROM open_request_text live
      WHERE live.organization_id = ${organizationId}::uuid AND ${textIn(Prisma.sql`live`, words)}`);
  if (hasEnded) ways.push(Prisma.sql`SELECT search_ended_requests(lower(${containing(words)}))`);
  const requests = (condition: Prisma.Sql) =>
    Prisma.sql`SELECT r.id FROM input_request r WHERE r.organization_id = ${organizationId}::uuid AND ${condition}`;
  const ofTasks = (condition: Prisma.Sql) => Prisma.sql`SELECT q.id FROM task t
    JOIN input_request q ON q.organization_id = t.organization_id AND q.task_id = t.id
    WHERE t.organization_id = ${organizationId}::uuid AND ${condition}`;
  if (amount !== null)
    ways.push(requests(Prisma.sql`r.state = ANY (${states}) AND ${AMOUNT} = ${String(amount)}::float8`));
  if (people.length > 0) {
    // Of open ones an index has who asked.
    for (const state of live)
      ways.push(requests(Prisma.sql`r.state = ${state} AND r.requester_user_id = ANY (${people}::uuid[])`));
    if (hasEnded) ways.push(ofTasks(Prisma.sql`t.requester_user_id = ANY (${people}::uuid[])`));
  }
  for (const condition of byProgram(Prisma.sql`t`, sought)) ways.push(ofTasks(condition));
  return Prisma.join(ways, " UNION ALL ");
}
