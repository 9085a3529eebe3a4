/** Rows as the engine would have left them, for tests of what reads them. */
import { createHash } from "node:crypto";
import type { Actor } from "../lib/access/schema.ts";
import type { Database } from "../lib/base/db/db.ts";
import { storable } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import type { Form } from "../lib/mcp/forms/form.ts";
import { amountOf } from "../lib/text/amount.ts";

export async function insertServer(
  db: Database,
  organizationId: string,
  more: { url?: string; tools?: unknown; name?: string } = {},
): Promise<{ id: string; connectionId: string }> {
  const id = uuidv7();
  const connectionId = uuidv7();
  await db.withOrganization(organizationId, async (tx) => {
    await tx.server.create({
      data: {
        organizationId,
        id,
        name: more.name ?? "Finance",
        url: more.url ?? "https://mcp.test.example/mcp",
        eraSetting: "auto",
        era: "2026-07-28",
        authKind: "none",
        ...(more.tools !== undefined && { tools: storable(more.tools), toolsCheckedAt: new Date() }),
      },
    });
    await tx.connection.create({ data: { organizationId, id: connectionId, serverId: id } });
  });
  return { id, connectionId };
}

export async function insertTask(
  db: Database,
  organizationId: string,
  server: { id: string; connectionId: string },
  more: {
    state?: string;
    visibility?: string;
    requester?: string;
    createdAt?: Date;
    arguments?: object;
    tool?: string;
  } = {},
): Promise<string> {
  const id = uuidv7();
  const state = more.state ?? "working";
  const actor: Actor = { kind: "member", id: more.requester ?? null, name: "Somebody" };
  const hasEnded = ["completed", "failed", "cancelled", "lost", "expired"].includes(state);
  await db.withOrganization(organizationId, (tx) =>
    tx.task.create({
      data: {
        organizationId,
        id,
        serverId: server.id,
        connectionId: server.connectionId,
        tool: more.tool ?? "process_invoice",
        arguments: storable(more.arguments ?? { invoice_id: "INV-100" }),
        label: "INV-100",
        state,
        watched: !hasEnded,
        visibility: more.visibility ?? "organization",
        requestedBy: storable(actor),
        requesterUserId: more.requester ?? null,
        sealedHandle: "sealed-handle-of-a-task",
        ...(more.createdAt && { createdAt: more.createdAt }),
        ...(hasEnded && { finishedAt: new Date() }),
      },
    }),
  );
  return id;
}

export async function insertRequest(
  db: Database,
  organizationId: string,
  taskId: string,
  more: {
    message?: string;
    key?: string;
    createdAt?: Date;
    expiresAt?: Date;
    assignee?: string;
    form?: Form;
    url?: string;
  } = {},
): Promise<{ id: string; questionHash: string }> {
  const id = uuidv7();
  const message = more.message ?? "Approve invoice INV-100, $1,000.00?";
  const questionHash = createHash("sha256").update(message).digest("hex");
  await db.withOrganization(organizationId, async (tx) => {
    const task = await tx.task.findFirstOrThrow({ where: { organizationId, id: taskId } });
    const amount = amountOf(task.arguments as Record<string, unknown>, message);
    await tx.inputRequest.create({
      data: {
        organizationId,
        id,
        taskId,
        connectionId: task.connectionId,
        key: more.key ?? id,
        state: "open",
        mode: more.url ? "url" : "form",
        url: more.url ?? null,
        message,
        requestedSchema: { type: "object", properties: {} },
        form: more.form ?? { kind: "supported", fields: [] },
        questionHash,
        amount: amount?.value ?? null,
        currency: amount?.currency ?? null,
        expiresAt: more.expiresAt ?? null,
        assigneeUserId: more.assignee ?? null,
        ...(more.createdAt && { createdAt: more.createdAt }),
      },
    });
  });
  return { id, questionHash };
}
