/** The table of tasks: its keys, what it draws of a long list, and that it comes with its page. */
import type { Page } from "@playwright/test";
import { ERAS, expect, keysListen, newInvoiceId, test } from "./fixtures/test.ts";
import { openTestRows } from "./fixtures/test-rows.ts";

/** More than two pages of them. */
const MANY = 220;

/** Tasks that have ended, oldest first, of a tool that only they are of. */
async function insertTasks(count: number): Promise<{ tool: string; ids: string[] }> {
  const testRows = await openTestRows();
  try {
    const server = await testRows.serverNamed(ERAS[0]!);
    const tool = `tool_${newInvoiceId()}`;
    const ids: string[] = [];
    for (let at = 0; at < count; at++) {
      const task = {
        state: "completed",
        tool,
        label: `No. ${at + 1}`,
        createdAt: new Date(Date.now() - (count - at) * 1_000),
      };
      ids.push(await testRows.insertTask(server, task));
    }
    return { tool, ids };
  } finally {
    await testRows.close();
  }
}

const rows = (page: Page) => page.getByRole("row").filter({ has: page.getByRole("link") });

test("Escape in the search leaves it: what is searched for and what is selected stay", async ({ ola }) => {
  const { tool } = await insertTasks(2);
  await ola.goto(`/tasks?tool=${tool}`);
  const keys = ola.keyboard;
  const search = ola.getByRole("searchbox", { name: "Search tasks" });
  await expect(rows(ola)).toHaveCount(2);
  await keysListen(ola);
  await keys.press("/");
  await keys.type("No.");
  await expect(ola).toHaveURL(/q=No\./);
  await expect(rows(ola)).toHaveCount(2);
  await keys.press("Escape");
  await expect(search).not.toBeFocused();
  await keys.press("j");
  await keys.press("x");
  const bar = ola.getByRole("region", { name: "Selected tasks" });
  await expect(bar).toContainText("1 task selected");
  await keys.press("/");
  await expect(search).toBeFocused();
  await keys.press("Escape");
  await expect(search).not.toBeFocused();
  await expect(search).toHaveValue("No.");
  await expect(bar).toContainText("1 task selected");
  await keys.press("Escape");
  await expect(bar).toHaveCount(0);
});

test("of a long table only what is near is drawn; its total is known, and all that match are selected by it", async ({
  ola,
}) => {
  test.setTimeout(180_000);
  const { tool } = await insertTasks(MANY);
  await ola.goto(`/tasks?tool=${tool}&order=oldest`);
  await expect(ola.getByText(`${MANY} tasks`, { exact: true })).toBeVisible();
  await expect(ola.getByRole("table")).toHaveAttribute("aria-rowcount", String(MANY + 1));
  await expect(rows(ola).first()).toContainText("No. 1");
  await rows(ola).first().getByRole("checkbox").check();
  const bar = ola.getByRole("region", { name: "Selected tasks" });
  await expect(bar).toContainText("1 task selected");
  await bar.getByRole("button", { name: `Select all ${MANY} matching` }).click();
  await expect(bar).toContainText(`All ${MANY} matching tasks selected`);
  await bar.getByRole("button", { name: "Start again…" }).click();
  await expect(ola.getByRole("dialog")).toContainText(`Start tasks again: ${MANY} tasks`);
  await ola.keyboard.press("Escape");
  await expect(ola.getByRole("dialog")).toHaveCount(0);
  await bar.getByRole("button", { name: "Clear the selection" }).click();
  await expect(bar).toHaveCount(0);

  const table = ola.getByRole("region", { name: "Tasks", exact: true });
  const last = rows(ola).filter({ hasText: `No. ${MANY}` });
  await expect(async () => {
    await table.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect(last).toBeInViewport({ timeout: 500 });
  }).toPass({ timeout: 60_000 });
  expect(await rows(ola).count()).toBeLessThan(100);
  await expect(last).toHaveAttribute("aria-rowindex", String(MANY + 1));
  // The row with the focus stays drawn, however far it is scrolled away.
  await last.getByRole("link").focus();
  await table.evaluate((element) => element.scrollTo(0, 0));
  await expect(rows(ola).first()).toContainText("No. 1");
  await expect(rows(ola).first()).toBeInViewport();
  await expect(last.getByRole("link")).toBeFocused();
  await ola.keyboard.press("k");
  await expect(
    rows(ola)
      .filter({ hasText: `No. ${MANY - 1}` })
      .getByRole("link"),
  ).toBeFocused();
  await expect(last).toBeInViewport();
  // The time range is beside the table, and replaces the one that a chart led to.
  await ola.getByLabel("Time range").selectOption({ label: "Last hour" });
  await expect(ola).toHaveURL(/since=1h/);
  await expect(ola.getByText(`${MANY} tasks`, { exact: true })).toBeVisible();
});

test("no column is cut at 1440 px, however long the texts are", async ({ ola }) => {
  const testRows = await openTestRows();
  const tool = `tool_${newInvoiceId()}`;
  try {
    await testRows.insertTask(await testRows.serverNamed(ERAS[0]!), {
      state: "completed",
      tool,
      label: "A name of many words that goes on and on beyond any column",
      outcome: "An outcome of many words that goes on and on beyond any column",
      arguments: {
        customer: "A customer of many words, Limited and Partners",
        total: 1_234_567.89,
        currency: "EUR",
      },
    });
  } finally {
    await testRows.close();
  }
  await ola.setViewportSize({ width: 1440, height: 900 });
  await ola.goto(`/tasks?tool=${tool}`);
  await expect(ola.getByRole("cell", { name: "1,234,567.89 EUR" })).toBeVisible();
  await expect(ola.getByRole("columnheader", { name: "Party" })).toBeVisible();
  const table = ola.getByRole("region", { name: "Tasks", exact: true });
  expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
});

test("tasks, servers and the overview come with their pages", async ({ ola }) => {
  const { tool, ids } = await insertTasks(1);
  const html = async (path: string) => (await ola.request.get(path)).text();
  expect(await html(`/tasks?tool=${tool}`)).toContain(`href="/tasks/${ids[0]}"`);
  expect(await html("/servers")).toMatch(/<h2[^>]*><a [^>]*>Finance ERP</);
  // Its charts write times of the person's own zone, which only the browser knows.
  await ola.route("**/api/v1/**", (route) => route.abort());
  await ola.goto("/overview");
  await expect(ola.getByRole("heading", { name: "Engines" })).toBeVisible();
  await expect(ola.getByRole("table").filter({ hasText: "p90 latency" })).toContainText("Finance ERP");
});
