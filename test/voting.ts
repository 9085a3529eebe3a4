/** An organization whose policy is set as a test likes, with questions that are asked under it. */

import type { Role } from "../lib/access/roles.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { appendEvents } from "../lib/history/events/event-writes.ts";
import { captureQuestion } from "../lib/requests/capture/capture-question.ts";
import { capitalise } from "../lib/text/labels.ts";
import { insertServer, insertTask } from "./fixtures/rows.ts";
import { forFile } from "./for-file.ts";
import type { TestWeb } from "./web.ts";

export interface Voter {
  userId: string;
  memberId: string;
  cookie: string;
  email: string;
}

/** A choice between approve and reject, as the sample server asks. */
const CHOICE = {
  type: "object",
  properties: { decision: { type: "string", enum: ["approve", "reject"] } },
  required: ["decision"],
};

export async function votingOrganization(web: TestWeb, slug: string) {
  const id = await web.organization(slug);
  const admin = await web.key(id, "admin");
  const server = await insertServer(web.db, id, { name: "Finance ERP" });
  const { sql } = web.database;

  return {
    id,
    server,
    sql,
    async person(name: string, role: Role): Promise<Voter> {
      const made = await web.member(id, name, role);
      return { ...made, email: `${name.toLowerCase()}-${id}@test.example` };
    },
    async keyOf({ cookie }: Voter, role: Role = "approver"): Promise<string> {
      const made = await web.call("POST", "/api/v1/api-keys", { cookie, body: { name: uuidv7(), role } });
      return made.body.secret;
    },
    /** Saves over whatever is there. */
    async policy(policy: object) {
      const { version } = (await web.call("GET", "/api/v1/policy", { key: admin })).body;
      const headers = { "if-match": String(version) };
      const saved = await web.call("PUT", "/api/v1/policy", { key: admin, body: policy, headers });
      if (saved.status !== 200) throw new Error(JSON.stringify(saved.body));
      return saved.body.version as number;
    },
    /** Saves a policy of one rule, for all requests. */
    stages(...stages: object[]): Promise<number> {
      return this.policy({ rules: [{ name: "All", stages }] });
    },
    task: (more: Parameters<typeof insertTask>[3] = {}) => insertTask(web.db, id, server, more),
    /** Asks as an engine captures what a server asks. */
    async ask(
      taskId: string,
      { message = "Approve invoice?", schema = CHOICE as object, key = uuidv7() as string } = {},
    ): Promise<{ id: string; questionHash: string }> {
      await web.db.withOrganization(id, async (tx) => {
        const question = {
          mode: "form" as const,
          message,
          requestedSchema: schema,
          url: null,
          address: { kind: "key" as const, key },
        };
        const lines = await captureQuestion(tx, taskId, { question, key, rpc: null, lifetimeMs: null });
        await appendEvents(tx, lines);
      });
      return web.db.withOrganization(id, async (tx) => {
        const row = await tx.inputRequest.findFirstOrThrow({
          where: { organizationId: id, taskId, key, state: "open" },
          select: { id: true, questionHash: true },
        });
        return row;
      });
    },
    decide: (
      who: { cookie: string } | { key: string },
      { id, questionHash }: { id: string; questionHash: string },
      more: object = {},
    ) =>
      web.call("POST", `/api/v1/input-requests/${id}/answer`, {
        ...who,
        body: { action: "accept", content: { decision: "approve" }, questionHash, ...more },
      }),
    read: async (who: { cookie: string } | { key: string }, request: { id: string }) =>
      (await web.call("GET", `/api/v1/input-requests/${request.id}`, who)).body,
    takeBack: (who: { cookie: string } | { key: string }, request: { id: string }) =>
      web.call("DELETE", `/api/v1/input-requests/${request.id}/vote`, who),
    /** Lets answers that are held wait for longer than a busy machine may take to undo one. */
    holdOn: () =>
      sql(
        `UPDATE delivery SET deliver_after = now() + interval '1 day'
          WHERE organization_id = $1 AND state = 'held' AND deliver_after < now() + interval '1 hour'`,
        [id],
      ),
    answers: (request: { id: string }) =>
      sql("SELECT * FROM answer WHERE input_request_id = $1 ORDER BY created_at", [request.id]),
    lines: async (request: { id: string }) =>
      (await sql("SELECT type, data, actor FROM event WHERE input_request_id = $1 ORDER BY seq", [
        request.id,
      ])) as {
        type: string;
        data: Record<string, unknown>;
      }[],
  };
}
export type VotingOrganization = Awaited<ReturnType<typeof votingOrganization>>;

/** A `votingOrganization()` for all tests of a file, and people in it: `{ ana: "owner" }` is Ana, `{ asker: ["Ola", "operator"] }` Ola. */
export function votingForFile<Name extends string>(
  web: TestWeb,
  slug: string,
  people: Record<Name, Role | [name: string, role: Role]>,
): { acme: VotingOrganization } & Record<Name, Voter> {
  const acme = forFile(() => votingOrganization(web, slug), noEnd);
  const voters = Object.entries<Role | [string, Role]>(people).map(([variable, who]) => {
    const [name, role] = typeof who === "string" ? [capitalise(variable), who] : who;
    return [variable, forFile(() => acme.person(name, role), noEnd)];
  });
  return { acme, ...Object.fromEntries(voters) };
}

/** It goes with the web's database. */
const noEnd = async () => {};
