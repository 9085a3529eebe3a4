import { createAgentSchema, type GrantInput } from "../../../lib/agents/agent-schema.ts";
import { createMakerlessAgent } from "../../../lib/agents/agent-writes.ts";
import { claudeCodeCommand, PLACEHOLDER } from "../../../lib/agents/set-up-words.ts";
import { prefixFor } from "../../../lib/agents/tool-names.ts";
import type { Tx } from "../../../lib/base/db/db.ts";
import { env } from "../../../lib/base/env.ts";
import { COMMAND_LINE } from "../../../lib/people/organizations/organization-writes.ts";
import { inOneSentence, readEnd } from "../create-api-key.ts";
import { read, required, takeEvery, UsageError } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";

/** The options for fields of other names. */
const OPTIONS: Record<string, string> = { holdMs: "hold-ms", grants: "grant" };

/** Makes an agent and returns its secret, for the only time, and how to connect a program with it. */
export async function createAgentCommand(args: string[]): Promise<{ result: string; next: string }> {
  const { values: grants, rest } = takeEvery(args, "--grant");
  const { values } = read(rest, ["org", "name", "hold-ms", "expires"]);
  const slug = required(values.org, "--org");
  const holdMs = values["hold-ms"];
  const input = createAgentSchema.safeParse({
    name: required(values.name, "--name"),
    expires: readEnd(values.expires),
    ...(holdMs !== undefined && { holdMs: /^\d+$/.test(holdMs) ? Number(holdMs) : holdMs }),
  });
  if (!input.success) {
    const { path, message } = input.error.issues[0]!;
    const field = String(path[0]);
    throw new UsageError(`--${OPTIONS[field] ?? field}: ${message}.`);
  }
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const { secret } = await db
      .withOrganization(organizationId, async (tx) => {
        const granted = await readGrants(tx, grants);
        return createMakerlessAgent(tx, COMMAND_LINE, { ...input.data, grants: granted });
      })
      .catch((error) => inOneSentence(error, OPTIONS));
    return { result: secret, next: nextSteps(`${env().url}/mcp`) };
  });
}

/** Without the secret: stderr goes into logs of scripts that keep stdout to themselves. */
const nextSteps = (url: string) => `
This is the agent's secret. Intray does not show it again.
The agent calls tools at ${url}

For Claude Code, with the secret in place of ${PLACEHOLDER}:
${claudeCodeCommand(url, null)}

For other programs: docs/agents.md, or Agents in the browser.`;

interface Known {
  id: string;
  name: string;
  prefix: string;
}

async function readGrants(tx: Tx, grants: string[]): Promise<GrantInput[]> {
  const all = await tx.server.findMany({
    // Without Intray's own, which asks people: every agent may call it.
    where: { organizationId: tx.organizationId, removedAt: null, builtin: false },
    select: { id: true, name: true, toolPrefix: true },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  const servers = all.map((server) => ({
    ...server,
    prefix: server.toolPrefix ?? prefixFor(server, new Set()),
  }));
  return grants.map((grant) => readGrant(grant, servers));
}

/** `server` or `server:tool`; both names may have colons in them, so that the longest server that fits is meant. */
function readGrant(grant: string, servers: Known[]): GrantInput {
  const ends = [...grant.matchAll(/:/g)].map(({ index }) => index).reverse();
  for (const end of [grant.length, ...ends]) {
    const tool = grant.slice(end + 1);
    const [server, another] = named(grant.slice(0, end), servers);
    if (another)
      throw new UsageError(
        `--grant: several servers are called "${grant.slice(0, end)}": name one by its id, such as ${another.id}.`,
      );
    if (server) return { serverId: server.id, ...(tool !== "" && { tool }) };
  }
  const known = servers.map(({ prefix }) => prefix).join(", ") || "none";
  throw new UsageError(`--grant: there is no server "${grant}". Those of the organization: ${known}.`);
}

/** By id, by the prefix that agents see, or by name. */
function named(word: string, servers: Known[]): Known[] {
  const exact = servers.filter(({ id, prefix }) => id === word.toLowerCase() || prefix === word);
  return exact.length > 0
    ? exact
    : servers.filter(({ name }) => name.toLowerCase() === word.trim().toLowerCase());
}
