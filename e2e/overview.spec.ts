/** The overview: figures of what people and servers did, as charts and as tables, and the way from them to the tasks. */

import type { Page } from "@playwright/test";
import type { Page as ListPage } from "../lib/base/page.ts";
import type { Overview } from "../lib/requests/statistics/statistics-schema.ts";
import type { Server } from "../lib/servers/server-schema.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import {
  answer,
  apiOf,
  ERAS,
  expect,
  keysListen,
  ledgerOf,
  openRequest,
  SOON,
  startInvoice,
  tabTo,
  test,
} from "./fixtures/test.ts";

/** Starts a task that fails, because the movements do not lead from one balance to the other. */
async function startUnbalanced(page: Page): Promise<void> {
  const api = apiOf(page);
  const servers = (await api.get<ListPage<Server>>("/servers")).items;
  const response = await api.write("POST", "/tasks", {
    serverId: servers.find(({ name }) => name === ERAS[1])?.id,
    tool: "reconcile_statement",
    arguments: {
      statement_id: "BS-2026-90",
      account: "Petty cash",
      opening_balance: 612.4,
      closing_balance: 1010.15,
      movements: [{ date: "2026-11-02", text: "Stamps", amount: -37.75 }],
    },
  });
  expect(response.status(), await response.text()).toBe(201);
}

test("tells what was decided and delivered, by the keyboard alone, and leads to it", async ({ ola }) => {
  const before = await apiOf(ola).get<Overview>("/overview");
  const { id, taskId } = await startInvoice(ola);
  await answer(ola, await openRequest(ola, taskId), { value: "reject" });
  await expect.poll(async () => (await ledgerOf(id)).told.length, SOON).toBe(1);
  const decided = async () => (await apiOf(ola).get<Overview>("/overview")).decisions.count;
  await expect.poll(decided, SOON).toBeGreaterThan(before.decisions.count);
  // Counted by itself, a moment after the decision.
  const delivered = async () =>
    JSON.stringify((await apiOf(ola).get<Overview>("/overview")).deliveries) !==
    JSON.stringify(before.deliveries);
  await expect.poll(delivered, SOON).toBe(true);

  // The chart of tasks counts one that failed at once, and the open ones every few minutes.
  await startUnbalanced(ola);
  const failed = async () =>
    (await apiOf(ola).get<Overview>("/overview")).steps.some(({ ended }) => ended.failed > 0);
  await expect.poll(failed, SOON).toBe(true);

  // An engine that was held up counts again a moment later; the page asks every 30 s.
  await expect.poll(async () => (await apiOf(ola).get<Overview>("/overview")).engines.length, SOON).toBe(1);

  await ola.goto("/overview");
  await expect(ola.getByRole("link", { name: /^Answers delivered/ })).toContainText(/[1-9]/);
  await expect(ola.getByRole("link", { name: /^Engines/ })).toContainText("1");
  const stuck = ola.getByRole("region", { name: /^Stuck/ });
  await expect(stuck.getByText("No stuck tasks").or(stuck.getByRole("listitem").first())).toBeVisible();
  const server = ola.getByRole("row", { name: /^Finance ERP OK/ });
  await expect(server).toBeVisible();
  await checkAppearance(ola, "overview");

  // Each chart has a table that says the same.
  for (const title of ["Tasks by state", "Time to decision", "Answers by delivery method"]) {
    const chart = ola.getByRole("region", { name: title, exact: true });
    await tabTo(ola, chart.getByRole("button", { name: `${title} as a table` }));
    await ola.keyboard.press("Enter");
    await expect(chart.getByRole("table")).toBeVisible();
  }
  const deliveries = ola.getByRole("region", { name: "Answers by delivery method", exact: true });
  await expect(deliveries.getByRole("row", { name: /^With the task/ })).toBeVisible();
  await checkAppearance(ola, "overview, as tables");

  // The chart is one stop; arrows go from column to column, and each leads to its tasks.
  const states = ola.getByRole("region", { name: "Tasks by state", exact: true });
  await tabTo(ola, states.getByRole("button", { name: "Tasks by state as a table" }));
  await ola.keyboard.press("Enter");
  const columns = states.getByRole("list", { name: "Tasks by state" }).getByRole("link");
  await expect(columns).toHaveCount(24);
  await tabTo(ola, columns.last());
  await ola.keyboard.press("ArrowLeft");
  await expect(columns.nth(22)).toBeFocused();
  await ola.keyboard.press("End");
  await expect(columns.last()).toBeFocused();
  // An hour that has just begun is not counted yet.
  await expect(columns.last()).toHaveAccessibleName(
    /working, .* waiting for a person, .* failed|not counted/,
  );
  await ola.keyboard.press("Enter");
  await expect(ola).toHaveURL(/\/tasks\?createdAfter=/);

  await ola.goBack();
  await tabTo(ola, ola.getByRole("link", { name: "the last 7 days" }));
  await ola.keyboard.press("Enter");
  await expect(ola).toHaveURL(/\/overview\?range=7d$/);
  await expect(columns).toHaveCount(28);
  await ola.goto("/servers");
  await keysListen(ola);
  await ola.keyboard.press("g");
  await ola.keyboard.press("o");
  await expect(ola.getByRole("heading", { level: 1 })).toHaveText("Overview");
});
