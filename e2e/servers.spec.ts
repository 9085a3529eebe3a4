/** A server that people look after: paused and going on, and with a tool that says something else. */
import { recordLate } from "../lib/servers/health.ts";
import type { Server } from "../lib/servers/server-schema.ts";
import { checkAppearance, ON_A_PHONE, ON_DESKTOP } from "./fixtures/appearance.ts";
import {
  answer,
  apiOf,
  deliverySteps,
  expect,
  invoiceServer,
  openRequest,
  requestPane,
  SOON,
  startInvoice,
  tabTo,
  taskHeader,
  test,
} from "./fixtures/test.ts";
import { openTestRows, type TestRows } from "./fixtures/test-rows.ts";

const NAME = "Ledger to look after";
let testRows: TestRows;
test.beforeAll(async () => {
  testRows = await openTestRows();
});
test.afterAll(() => testRows.close());

test("paused, it takes starts and answers and keeps them; a tool that changed is flagged before its use", async ({
  ana,
  ola,
  ben,
}) => {
  const made = await apiOf(ana).write("POST", "/servers", { name: NAME, url: `${invoiceServer()}/mcp` });
  const server = (await made.json()) as Server;
  expect([made.status(), server.health.state]).toEqual([201, "ok"]);
  const first = await startInvoice(ola, { era: NAME });
  const requestId = await openRequest(ola, first.taskId);

  await ola.goto(`/servers/${server.id}`);
  await ola.getByRole("button", { name: `Test ${NAME}` }).click();
  await expect(ola.getByRole("region", { name: "Test result" })).toContainText("Lists its tools");
  // With the keyboard alone.
  await tabTo(ola, ola.getByRole("button", { name: "Pause…" }));
  await ola.keyboard.press("Enter");
  await tabTo(ola, ola.getByRole("textbox", { name: "Reason" }));
  await ola.keyboard.type("The month is being closed");
  await ola.keyboard.press("Enter");
  const paused = ola.getByText(`${NAME} is paused, by Ola`);
  await expect(paused).toBeVisible(SOON);
  await checkAppearance(ola, "a paused server");

  await ben.goto(`/inbox/${requestId}`);
  await expect(requestPane(ben).getByText(`${NAME} is paused, by Ola`)).toBeVisible(SOON);
  await checkAppearance(ben, "a request of a paused server");
  await answer(ben, requestId, { value: "approve" });
  await ben.goto(`/inbox/${requestId}`);
  await expect(requestPane(ben).getByText(`goes to ${NAME} when the server’s pause ends`)).toBeVisible(SOON);

  const second = await startInvoice(ola, { era: NAME });
  await ola.goto(`/tasks/${second.taskId}`);
  await expect(taskHeader(ola)).toContainText("Queued");
  await expect(paused).toBeVisible(SOON);
  await checkAppearance(ola, "a task of a paused server", []);

  await ola.goto(`/servers/${server.id}`);
  await tabTo(ola, ola.getByRole("button", { name: "Resume" }));
  await ola.keyboard.press("Enter");
  await expect(paused).toBeHidden(SOON);
  await openRequest(ola, second.taskId);

  // Stores what the engine stores about a slow server.
  const { connectionId } = await testRows.serverNamed(NAME);
  const late = { everyMs: 40_000, insteadOfMs: 5_000, answerMs: 9_000 };
  // Anew before each look: an engine that takes the connection anew finds its answers prompt.
  const slowDown = () => testRows.within((tx) => recordLate(tx, connectionId, late));
  await slowDown();
  const slow = ola.getByText("Slow: tasks are checked every 40 s instead of every 5 s (answers take 9 s)");
  await expect(slow).toBeVisible(SOON);
  await checkAppearance(ola, "a slow server", [...ON_DESKTOP.slice(1), ...ON_A_PHONE]);
  for (const path of ["/servers", "/overview"]) {
    await slowDown();
    await ola.goto(path);
    await expect(slow).toBeVisible(SOON);
    await slow.scrollIntoViewIfNeeded();
    await checkAppearance(ola, `${path} with a slow server`, [...ON_DESKTOP.slice(1), ...ON_A_PHONE]);
  }
  await slowDown();
  await ola.goto(`/servers/${server.id}`);
  await expect(slow).toBeVisible(SOON);
  await testRows.within((tx) => recordLate(tx, connectionId, null));
  await expect(slow).toBeHidden(SOON);

  await ben.goto(`/inbox/${requestId}`);
  await expect(deliverySteps(ben).filter({ hasText: "Accepted by server, done" })).toBeVisible(SOON);

  // Stores another tool description than the one last used.
  await testRows.within((tx) =>
    tx.serverToolVersion.create({
      data: {
        organizationId: tx.organizationId,
        serverId: server.id,
        tool: "process_invoice",
        digest: Buffer.alloc(32, 1),
        described: {
          title: null,
          description: "Books an invoice and asks nobody.",
          inputSchema: { type: "object", properties: { note: { type: "string" } } },
          annotations: { destructiveHint: false },
        },
        until: new Date(),
        usedAt: new Date(Date.now() + 60_000),
        usedBy: { kind: "member", id: null, name: "Ola" },
      },
    }),
  );
  await ola.reload();
  await expect(ola.getByText("Changed since last use").first()).toBeVisible(SOON);
  await ola.getByText("Version history").first().click();
  await expect(ola.getByText("As first seen.").first()).toBeVisible(SOON);
  await checkAppearance(ola, "a tool that changed");

  const refused = await apiOf(ola).write("POST", `/tasks/${first.taskId}/restart`);
  expect([refused.status(), (await refused.json()).code]).toEqual([409, "tool_changed"]);
  await ola.goto("/tasks/new");
  await ola.getByRole("combobox", { name: "Server" }).selectOption(server.id);
  await ola.getByRole("radio", { name: /process_invoice/i }).check();
  const start = ola.getByRole("button", { name: "Start task" });
  await expect(ola.getByText("This tool’s definition has changed.")).toBeVisible(SOON);
  await expect(start).toBeDisabled();
  await expect(ola.getByText("Field gone: note")).toBeVisible();
  await ola.getByText("Input schema, before and after").click();
  await expect(ola.locator("del").filter({ hasText: '"note"' }).first()).toBeVisible();
  await checkAppearance(ola, "a changed tool about to be used", []);
  await tabTo(ola, ola.getByRole("checkbox", { name: "I have reviewed the change" }));
  await ola.keyboard.press("Space");
  await expect(start).toBeEnabled();
});
