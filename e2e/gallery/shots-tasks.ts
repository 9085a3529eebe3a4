/** Tasks: the table, a new one, and one in each of its states. */

import { uuidv7 } from "../../lib/base/ids.ts";
import type { Prisma } from "../../lib/generated/prisma/client.ts";
import { expect, taskHeader } from "../fixtures/test.ts";
import { DARK, LIGHT, ON_PHONE, ON_PHONE_DARK, type Shot } from "./shot.ts";

const RESULT = {
  content: [{ type: "text", text: "Invoice processing result: PAID" }],
  structuredContent: { status: "PAID", invoice_id: "INV-7", paid: 4, total: "1000.00" },
};

/** As the engine leaves such tasks behind. */
const ended = (
  state: "completed" | "failed" | "cancelled" | "lost" | "expired" | "start_unknown",
  more: Partial<Prisma.TaskUncheckedCreateInput> = {},
): Shot => ({
  name: `task ${state.replace("_", " ")}`,
  person: "Ola",
  async open(page, fixture) {
    const server = await fixture.testRows.serverNamed("Finance ERP");
    const id = await fixture.testRows.insertTask(server, { state, ...more });
    await page.goto(`/tasks/${id}`);
    await expect(taskHeader(page).getByRole("heading", { level: 1 })).toBeVisible();
    if (more.result) await page.getByRole("tab", { name: "Result" }).click();
  },
});

export const TASKS: Shot[] = [
  {
    name: "tasks",
    person: "Ola",
    appearances: [LIGHT, DARK, ON_PHONE, ON_PHONE_DARK],
    async open(page, fixture) {
      await fixture.invoice("acme");
      await page.goto("/tasks");
      await expect(page.getByRole("row").nth(1)).toBeVisible();
    },
  },
  {
    name: "tasks no hits",
    person: "Ola",
    async open(page) {
      await page.goto("/tasks?q=nothing-like-this");
      await expect(page.getByText(/No tasks match/).first()).toBeVisible();
    },
  },
  {
    name: "task new",
    person: "Ola",
    async open(page) {
      await page.goto("/tasks/new");
      await page.getByRole("combobox", { name: "Server" }).selectOption({ label: "Finance ERP" });
      await page.getByRole("button", { name: "Fill in the sample invoice" }).click();
      await expect(page.getByLabel("Customer")).toHaveValue("ACME Corp");
    },
  },
  {
    name: "task new refused",
    person: "Ola",
    async open(page) {
      await page.goto("/tasks/new?tool=process_invoice");
      await page.getByRole("combobox", { name: "Server" }).selectOption({ label: "Finance ERP" });
      await page.getByRole("button", { name: "Start task" }).click();
      await expect(page.getByText("No task was started.")).toBeVisible();
    },
  },
  {
    name: "task waiting for a person",
    person: "Ola",
    async open(page, fixture) {
      const { taskId } = await fixture.ask("deploy", { build: "4822" });
      await page.goto(`/tasks/${taskId}`);
      await expect(page.getByRole("link", { name: "Open the request" })).toBeVisible();
    },
  },
  {
    name: "task working",
    person: "Ola",
    async open(page, fixture) {
      const { taskId, requestId } = await fixture.invoice("acme");
      await fixture.answer("Ben", requestId, { action: "accept", content: { value: "approve" }, holdMs: 0 });
      await fixture.became(requestId, "settled");
      await page.goto(`/tasks/${taskId}`);
      await expect(taskHeader(page)).toContainText("Working", { timeout: 30_000 });
    },
  },
  ...["Arguments", "Requests", "Protocol"].map(
    (tab): Shot => ({
      name: `task ${tab.toLowerCase()}`,
      person: "Ola",
      async open(page, fixture) {
        const { taskId } = await fixture.invoice("acme");
        await page.goto(`/tasks/${taskId}`);
        await page.getByRole("tab", { name: tab }).click();
        await expect(page.getByRole("tabpanel", { name: tab })).not.toBeEmpty();
      },
    }),
  ),
  {
    name: "task access",
    person: "Ola",
    appearances: [LIGHT, DARK, ON_PHONE, ON_PHONE_DARK],
    async open(page, fixture) {
      const { taskId } = await fixture.invoice("acme");
      await page.request.get(`/api/v1/tasks/${taskId}/messages`);
      await page.request.get("/api/v1/tasks/export");
      await page.goto(`/tasks/${taskId}`);
      await page.getByRole("tab", { name: "Access" }).click();
      await expect(page.getByText("You read the protocol messages")).toBeVisible();
    },
  },
  {
    name: "task access none",
    person: "Ana",
    async open(page, fixture) {
      const server = await fixture.testRows.serverNamed("Finance ERP");
      await page.goto(`/tasks/${await fixture.testRows.insertTask(server, { state: "completed" })}`);
      await page.getByRole("tab", { name: "Access" }).click();
      await expect(page.getByText(/Nobody has opened anything/)).toBeVisible();
    },
  },
  ...["Start again…", "Cancel…"].map(
    (button): Shot => ({
      name: `task ${button.replace("…", "").toLowerCase()}`,
      person: "Ola",
      async open(page, fixture) {
        const { taskId } = await fixture.ask("deploy", { build: "4823" });
        await page.goto(`/tasks/${taskId}`);
        await page.getByRole("button", { name: button }).click();
        await expect(page.getByRole("dialog").or(page.getByRole("alertdialog"))).toBeVisible();
      },
    }),
  ),
  {
    name: "task new as JSON",
    person: "Ola",
    async open(page) {
      await page.goto("/tasks/new");
      await page.getByRole("combobox", { name: "Server" }).selectOption({ label: "Finance ERP" });
      await page.getByRole("button", { name: "Fill in the sample invoice" }).click();
      await page.getByRole("tab", { name: "JSON" }).click();
      await expect(page.getByRole("tabpanel", { name: "JSON" })).toBeVisible();
    },
  },
  ended("completed", { result: RESULT, outcome: "PAID" }),
  ended("failed", { error: { code: "server_error", message: "The ledger is closed for November." } }),
  ended("cancelled"),
  ended("lost"),
  ended("expired"),
  ended("start_unknown"),
  // The engine makes such of servers that name no task in their questions, or forget what they asked.
  {
    name: "task that may have asked",
    person: "Ola",
    appearances: [LIGHT, DARK, ON_PHONE],
    async open(page, fixture) {
      const { testRows } = fixture;
      const server = await testRows.serverNamed("Finance ERP");
      const id = await testRows.insertTask(server, {
        state: "input_required",
        watched: true,
        finishedAt: null,
      });
      await testRows.within((tx) =>
        tx.streamMessage.create({
          data: {
            organizationId: tx.organizationId,
            id: uuidv7(),
            connectionId: server.connectionId,
            sessionDigest: Buffer.from(id),
            rpcId: 1,
            kind: "elicitation",
            params: {
              mode: "form",
              message: "Pay invoice INV-7, $1,000.00?",
              requestedSchema: {},
              url: null,
            },
            candidates: [id],
          },
        }),
      );
      await page.goto(`/tasks/${id}`);
      await expect(page.getByText("Pay invoice INV-7")).toBeVisible();
    },
  },
  {
    name: "task whose answer waits",
    person: "Ola",
    appearances: [LIGHT, DARK, ON_PHONE],
    async open(page, fixture) {
      const { requestId } = await fixture.ask("deploy", { build: "4822" });
      const server = await fixture.testRows.serverNamed("Finance ERP");
      const expiresAt = new Date(Date.now() + 3_600_000);
      const task = { state: "input_required", watched: true, finishedAt: null, expiresAt };
      const taskId = await fixture.testRows.insertTask(server, task);
      const since = new Date(Date.now() - 120_000);
      await fixture.testRows.insertUndeliverable(requestId, taskId, "not_asked_again", {
        request: { state: "answered", endedReason: null, endedAt: null },
        delivery: {
          ...{ state: "pending", attempts: 0, sentAt: null, error: null },
          ...{ waitingSince: since, deliverAfter: since },
        },
      });
      await page.goto(`/tasks/${taskId}`);
      await expect(taskHeader(page).getByRole("heading", { level: 1 })).toBeVisible();
    },
  },
];
