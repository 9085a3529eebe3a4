/** What a hostile server sent, as the engine leaves it, on the screens: text that runs, loads and leads nowhere. */
import type { Page } from "@playwright/test";
import { storable, storableText } from "../lib/base/db/db.ts";
import { uuidv7 } from "../lib/base/ids.ts";
import { maskMessage } from "../lib/history/protocol-messages/mask.ts";
import { questionHash } from "../lib/mcp/forms/question-hash.ts";
import { shownOf } from "../lib/mcp/forms/shown.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { expect, requestPane, test } from "./fixtures/test.ts";
import { openTestRows, type TestRows } from "./fixtures/test-rows.ts";

const EVIL =
  `<script>window.ran=1</script><img src=x onerror="window.ran=1"> [pay](https://evil.example) https://evil.example ` +
  `\u202Egnp.tnemyap\u202C \u0000 \u200B ${"W".repeat(300)}`;
const MEGABYTE = `${EVIL} `.repeat(3_000).slice(0, 1024 * 1024);

let testRows: TestRows;
let server: { id: string; connectionId: string };
test.beforeAll(async () => {
  testRows = await openTestRows();
  server = await testRows.serverNamed("Finance ERP");
});
test.afterAll(() => testRows.close());

/** Nothing of it ran, and no link leaves Intray. */
async function isDead(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as { ran?: unknown }).ran)).toBeUndefined();
  const links = await page
    .locator("a[href]")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  expect(links.filter((href) => /^[a-z]+:|^\/\//i.test(href))).toEqual([]);
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
}

/** Puts a question as the engine does. */
async function ask(taskId: string, message: string, requestedSchema: object): Promise<string> {
  const question = { mode: "form" as const, message, requestedSchema, url: null };
  const shown = shownOf(question);
  const id = uuidv7();
  await testRows.within((tx) =>
    tx.inputRequest.create({
      data: {
        organizationId: tx.organizationId,
        id,
        taskId,
        connectionId: server.connectionId,
        key: id,
        state: "open",
        mode: "form",
        message: storableText(shown.message),
        requestedSchema: storable(shown.requestedSchema),
        form: storable(shown.form),
        questionHash: questionHash({ taskId, ...question }),
      },
    }),
  );
  return id;
}

test("a form with titles of 2,000 letters stays in its box, and blank choices have a name", async ({
  ben,
}) => {
  const long = (of: string) => of.repeat(2_000);
  const taskId = await testRows.insertTask(server, { state: "completed", arguments: {} });
  const id = await ask(taskId, long("M"), {
    type: "object",
    title: long("F"),
    properties: {
      text: { type: "string", title: long("T"), description: long("D") },
      list: { type: "string", title: long("L"), oneOf: [{ const: "" }, { const: "a", title: long("C") }] },
      several: { type: "array", title: long("S"), items: { enum: [" ", long("O")] } },
    },
  });
  await ben.goto(`/inbox/${id}?tab=all`);
  const pane = requestPane(ben);
  await expect(pane.getByRole("radio", { name: "Empty text (sends “”)" })).toBeVisible();
  await expect(pane.getByRole("checkbox", { name: "Blank text (sends “ ”)" })).toBeVisible();
  await checkAppearance(ben, "form with titles of 2,000 letters");
  const overhangs = await pane.evaluate((box) =>
    [...box.querySelectorAll("h2, legend, label, p")]
      .filter((each) => each.getBoundingClientRect().right > box.getBoundingClientRect().right)
      .map((each) => each.textContent.slice(0, 20)),
  );
  expect(overhangs).toEqual([]);
});

test("a question of a megabyte is cut, says so, and can only be declined", async ({ ben }) => {
  const tool = `approve\u202E${"_".repeat(80)}`;
  const taskId = await testRows.insertTask(server, { state: "completed", arguments: { note: EVIL }, tool });
  const requestedSchema = { type: "object", properties: { [EVIL]: { type: "string", title: EVIL } } };
  const id = await ask(taskId, MEGABYTE, requestedSchema);
  await ben.goto(`/inbox/${id}?tab=all`);
  const pane = requestPane(ben);
  await expect(pane.getByText("more than Intray takes")).toBeVisible();
  await expect(pane.getByText("U+202E").first()).toBeVisible();
  await expect(pane.getByRole("button", { name: /^Decline/ })).toBeVisible();
  await isDead(ben);
  await checkAppearance(ben, "request of a hostile server");
});

test("a task whose every text is hostile keeps its page in shape", async ({ ola }) => {
  const text = (value: string) => ({ type: "text", text: value });
  const id = await testRows.insertTask(server, {
    state: "failed",
    arguments: { [`${EVIL}key`.slice(0, 200).replaceAll("\u0000", "")]: EVIL.replaceAll("\u0000", "") },
    tool: `<b>tool</b>\u202E${"x".repeat(200)}`,
    label: storableText(EVIL.slice(0, 200)),
    statusMessage: storableText(MEGABYTE.slice(0, 1_000)),
    outcome: storableText(EVIL.slice(0, 200)),
    outcomeIsError: true,
    error: { code: "server_error", message: storableText(EVIL) },
    result: storable({
      content: [text(MEGABYTE), { type: "resource_link", uri: "javascript:window.ran=1", name: EVIL }],
    }),
  });
  const body = maskMessage({ result: { statusMessage: MEGABYTE, list: Array(100_000).fill(0) } }, []);
  await testRows.within((tx) =>
    tx.protocolMessage.create({
      data: {
        organizationId: tx.organizationId,
        taskId: id,
        at: new Date(),
        direction: "in",
        method: "tasks/get",
        body: storable(body),
      },
    }),
  );
  await ola.goto(`/tasks/${id}`);
  await expect(ola.getByText("<b>tool</b>").first()).toBeVisible();
  await isDead(ola);
  await checkAppearance(ola, "task of a hostile server");
  await ola.getByRole("tab", { name: "Protocol" }).click();
  await ola.locator("summary").getByText("tasks/get").first().click();
  await expect(ola.getByText("1001 ]")).toBeVisible();
  await isDead(ola);
  await checkAppearance(ola, "protocol of a hostile server");
});
