/**
 * The tools that servers have listed, parsed, with their digests. An agent's list is made of them at every call, so that lists
 * are parsed once: by server and the time at which it gave the list.
 */
import { setImmediate as otherWork } from "node:timers/promises";
import type { Tx } from "../base/db/db.ts";
import type { Tool } from "../mcp/peer.ts";
import { readListedTools } from "../servers/server-reads.ts";
import { digestOf, textOf } from "../servers/tool-changes.ts";

export interface KeptTool {
  tool: Tool;
  digest: string;
  /** Its size where tools are bounded: see `weightOf`. */
  weight: number;
}
/** Null: the server has never listed any. */
export type KeptTools = ReadonlyMap<string, KeptTool> | null;

/** What all lists in memory may weigh together. A list weighs at most some five million (lib/mcp/limits.ts). */
const MOST_WEIGHT = 32_000_000;

// Oldest use first.
const parsed = new Map<string, KeptTools>();
let weight = 0;

/** Returns the digest of a tool as its server lists it now; null if it does not, and undefined if it has never listed any. */
export async function listedDigest(
  tx: Tx,
  serverId: string,
  tool: string,
): Promise<string | null | undefined> {
  const tools = (await keptTools(tx, [{ id: serverId, checkedAt: null }])).get(serverId);
  return tools ? (tools.get(tool)?.digest ?? null) : undefined;
}

/** Returns a tool as its server describes it now; one that it does not list, by its name and the annotations that are known of it. */
export async function listedTool(
  tx: Tx,
  serverId: string,
  name: string,
  annotations: Record<string, unknown> | null,
): Promise<Tool> {
  const listed = (await keptTools(tx, [{ id: serverId, checkedAt: null }])).get(serverId)?.get(name)?.tool;
  if (listed) return listed;
  return {
    ...{ name, title: null, description: null, inputSchema: {}, annotations },
    ...{ taskSupport: "optional", honoursIdempotencyKey: false },
  };
}

/** Returns the tools of these servers. Of two of one name the first counts, as for calls. */
export async function keptTools(
  tx: Tx,
  servers: readonly { id: string; checkedAt: Date | null }[],
): Promise<Map<string, KeptTools>> {
  const found = new Map<string, KeptTools>();
  const missing: string[] = [];
  for (const { id, checkedAt } of servers) {
    const known = checkedAt ? recall(keyOf(tx.organizationId, id, checkedAt)) : undefined;
    if (known !== undefined) found.set(id, known);
    else missing.push(id);
  }
  // One after the other: a long list takes a while to be read and digested, and others have their turn in between.
  for (const id of missing) {
    const [read] = await readListedTools(tx, [id]);
    if (!read) continue;
    await otherWork();
    const listed = read.tools === null ? null : withDigests(read.tools);
    found.set(id, listed);
    if (read.checkedAt) remember(keyOf(tx.organizationId, id, read.checkedAt), listed);
    await otherWork();
  }
  return found;
}

/** Characters of a tool in memory: an object or a list takes as much as some sixty, though its JSON has two. */
function weightOf(tool: Tool): number {
  const json = JSON.stringify(tool);
  return json.length + 60 * (json.match(/[[{]/g)?.length ?? 0);
}

const keyOf = (organizationId: string, serverId: string, at: Date) =>
  `${organizationId} ${serverId} ${at.getTime()}`;

function withDigests(tools: Tool[]): Map<string, KeptTool> {
  const listed = new Map<string, KeptTool>();
  for (const tool of tools)
    if (!listed.has(tool.name))
      listed.set(tool.name, { tool, digest: digestOf(textOf(tool)), weight: weightOf(tool) });
  return listed;
}

function recall(key: string): KeptTools | undefined {
  const known = parsed.get(key);
  if (known === undefined) return undefined;
  parsed.delete(key);
  parsed.set(key, known);
  return known;
}

function remember(key: string, listed: KeptTools): void {
  if (parsed.has(key)) return;
  parsed.set(key, listed);
  weight += sumOf(listed);
  for (const [oldest, tools] of parsed) {
    if (weight <= MOST_WEIGHT) return;
    parsed.delete(oldest);
    weight -= sumOf(tools);
  }
}

function sumOf(listed: KeptTools): number {
  let sum = 0;
  for (const tool of listed?.values() ?? []) sum += tool.weight;
  return sum;
}
