/** The database behind the screens, for what no server here does of its own accord: rows as the engine leaves them. */
import { createDatabase, Prisma, type Tx } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { createSeal } from "../lib/base/seal.ts";
import type { Traits } from "../lib/servers/traits.ts";
import { handleDigest } from "../lib/tasks/found/handle.ts";
import { readRecord } from "../scripts/database/cluster.ts";
import { withLogin } from "../scripts/database/roles.ts";
import { readSecrets } from "../scripts/database/secrets.ts";

/** How a request, and the delivery of its answer, differ from one that could not be delivered. */
export interface Way {
  request?: { state: string; endedReason: null; endedAt?: null };
  delivery: Record<string, string | number | boolean | Date | null>;
}

export interface Backstage {
  /** In the demonstration's organization. */
  within<T>(work: (tx: Tx, organizationId: string) => Promise<T>): Promise<T>;
  serverNamed(name: string): Promise<{ id: string; connectionId: string }>;
  learn(serverId: string, traits: Traits): Promise<void>;
  /** As the operator's file makes one; no such command is there. */
  insertCommandServer(name: string): Promise<string>;
  /** A task that has ended, or whose start nobody knows of: the engine leaves such alone. */
  insertTask(
    server: { id: string; connectionId: string },
    more: Record<string, unknown> & { state: string },
  ): Promise<string>;
  insertFind(server: { connectionId: string }, statusMessage: string, taskId?: string): Promise<string>;
  /** A copy of a question, asked by that task, whose answer could not be delivered; or came as far as `way` says. */
  insertUndeliverable(requestId: string, taskId: string, reason: string, way?: Way): Promise<string>;
  close(): Promise<void>;
}

export async function openBackstage(): Promise<Backstage> {
  const folder = process.env.E2E_DATA_DIR ?? "";
  const secrets = readSecrets(folder);
  if (!secrets) throw new Error(`there is no Intray in ${folder}`);
  const url = `postgresql://127.0.0.1:${readRecord(folder).port}/intray`;
  const db = createDatabase(withLogin(url, "intray_owner", secrets.ownerPassword), { connections: 2 });
  const [kid = "", key = ""] = secrets.intrayKeys.split(",")[0]?.split(":") ?? [];
  const seal = createSeal([{ kid, key: Buffer.from(key, "base64") }]);
  const [acme] = await db.gate<{ id: string }>(Prisma.sql`SELECT id FROM gate.organization_by_slug('acme')`);
  const organizationId = acme?.id ?? "";
  const within: Backstage["within"] = (work) =>
    db.withOrganization(organizationId, (tx) => work(tx, organizationId));

  return {
    within,
    close: () => db.close(),
    serverNamed: (name) =>
      within(async (tx) => {
        const { id } = await tx.server.findFirstOrThrow({ where: { name, removedAt: null } });
        const connection = await tx.connection.findFirstOrThrow({ where: { serverId: id, userId: null } });
        return { id, connectionId: connection.id };
      }),
    learn: (id, traits) =>
      within(async (tx) => void (await tx.server.updateMany({ where: { id }, data: { traits } }))),
    insertCommandServer: (name) =>
      within(async (tx) => {
        const id = uuidv7();
        const entry = name.toLowerCase();
        const row = {
          name,
          url: `command:${entry}`,
          operatorEntry: entry,
          eraSetting: "auto",
          authKind: "none",
        };
        await tx.server.create({
          data: {
            organizationId,
            id,
            ...row,
            tools: [],
            toolsCheckedAt: new Date(),
            healthCheckedAt: new Date(),
          },
        });
        await tx.connection.create({ data: { organizationId, id: uuidv7(), serverId: id } });
        return id;
      }),
    insertTask: (server, { state, ...more }) =>
      within(async (tx) => {
        const id = uuidv7();
        await tx.task.create({
          data: {
            organizationId,
            id,
            serverId: server.id,
            connectionId: server.connectionId,
            tool: "process_invoice",
            arguments: { invoice_id: "INV-7" },
            label: "INV-7",
            state,
            watched: false,
            visibility: "organization",
            requestedBy: { kind: "member", id: null, name: "Ola" },
            era: "2025-11-25",
            ...(state !== "start_unknown" && { finishedAt: new Date() }),
            ...more,
          },
        });
        return id;
      }),
    insertFind: (server, statusMessage, taskId) =>
      within(async (tx) => {
        const id = uuidv7();
        const place = { organizationId, table: "found_task", row: id, column: "sealed_handle" };
        await tx.foundTask.create({
          data: {
            organizationId,
            id,
            connectionId: server.connectionId,
            taskId: taskId ?? null,
            sealedHandle: seal.seal(place, id),
            handleDigest: Uint8Array.from(handleDigest(seal, organizationId, id)),
            status: "working",
            statusMessage,
            serverCreatedAt: new Date(Date.now() - 90_000),
          },
        });
        return id;
      }),
    insertUndeliverable: (requestId, taskId, reason, way) =>
      within(async (tx) => {
        const id = uuidv7();
        // What the database computes by itself can't be written.
        const { alike: _, ...asked } = await tx.inputRequest.findFirstOrThrow({ where: { id: requestId } });
        await tx.inputRequest.create({
          data: {
            ...asked,
            id,
            taskId,
            key: id,
            state: "undeliverable",
            endedReason: reason,
            endedAt: new Date(),
            requestedSchema: asked.requestedSchema ?? {},
            form: asked.form ?? {},
            ...way?.request,
          },
        });
        const answerId = uuidv7();
        const about = { organizationId, inputRequestId: id };
        await tx.answer.create({
          data: {
            ...about,
            id: answerId,
            questionHash: asked.questionHash,
            action: "accept",
            content: { value: "approve" },
            comment: "As agreed with Cleo",
            answeredBy: { kind: "member", id: null, name: "Ben" },
          },
        });
        await tx.delivery.create({
          data: {
            ...about,
            id: uuidv7(),
            answerId,
            taskId,
            state: "failed",
            error: reason,
            attempts: 1,
            deliverAfter: new Date(),
            sentAt: new Date(),
            ...way?.delivery,
          },
        });
        return id;
      }),
  };
}
