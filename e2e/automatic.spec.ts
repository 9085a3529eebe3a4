/**
 * A rule that answers by itself, from the try on the past to the stop: in shadow it agrees and disagrees with people, an owner types
 * its name to set it live, it keeps to its cap, and one press stops it in the middle of a burst.
 */
import type { Page } from "@playwright/test";
import type { Page as ListPage } from "../lib/base/page.ts";
import type { SavedPolicy } from "../lib/policy/policy-schema.ts";
import type { AutomaticState } from "../lib/requests/automatic/automatic-answer-schema.ts";
import type { InputRequestSummary } from "../lib/requests/request-schema.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { newMember, newOwner, PASSWORD } from "./fixtures/organizations.ts";
import {
  answer,
  apiOf,
  expect,
  invoiceServer,
  ledgerOf,
  openRequest,
  requestPane,
  SOON,
  type StartedInvoice,
  startInvoice,
  test,
} from "./fixtures/test.ts";

test.setTimeout(420_000);

const ORGANIZATION = "automata";
const NAME = "Small invoices";
const AFTER_STOP = 3;
const LATER = { timeout: 90_000 };

const policyWith = (rule: object) => ({
  rules: [],
  automatic: [
    {
      name: NAME,
      when: 'tool == "process_invoice" && request.amount != null && request.amount < 5000.0',
      answer: { action: "accept", content: { value: "approve" } },
      sample: 0,
      ...rule,
    },
  ],
});

/** Saves the policy by the API, as somebody who has shown just now that it is them: these tests take longer than that is good for. */
async function save(page: Page, policy: object): Promise<void> {
  expect((await apiOf(page).write("POST", "/me/step-up", { password: PASSWORD })).status()).toBe(204);
  const { version } = await apiOf(page).get<SavedPolicy>("/policy");
  const response = await page.request.fetch("/api/v1/policy", {
    method: "PUT",
    data: policy,
    headers: { origin: process.env.E2E_URL ?? "", "if-match": String(version) },
  });
  expect(response.status(), await response.text()).toBe(200);
}

const stateOf = async (page: Page) => {
  const { stopped, rules } = await apiOf(page).get<AutomaticState>("/policy/automatic");
  return { stopped, ...rules[0]! };
};

const requestsOf = async (page: Page, taskId: string) =>
  (await apiOf(page).get<ListPage<InputRequestSummary>>(`/input-requests?taskId=${taskId}`)).items;

const section = (page: Page) => page.getByRole("region", { name: "Automatic answers", exact: true });

/** Writes the policy in the editor and saves it there. */
async function saveInEditor(page: Page, policy: object): Promise<void> {
  await page.getByLabel("Policy as JSON").fill(JSON.stringify(policy, null, 2));
  await page.getByRole("button", { name: "Save policy" }).click();
}

/** Each disagreement opens its request, in a tab of its own. */
async function opensRequest(page: Page, invoice: StartedInvoice): Promise<void> {
  const opened = page.waitForEvent("popup");
  await page
    .getByRole("link", { name: new RegExp(invoice.id) })
    .first()
    .click();
  const tab = await opened;
  await expect(requestPane(tab).getByRole("heading", { level: 2 }).first()).toContainText(invoice.id, SOON);
  await tab.close();
}

test("a rule is tried, shadows people, goes live within its cap, and is stopped in a burst", async ({
  browser,
}) => {
  const owner = await newOwner(browser, "Olga", ORGANIZATION);
  const asked = owner.getByRole("dialog", { name: "Confirm that it is you" });
  await owner.addLocatorHandler(asked, async () => {
    await asked.getByLabel("Your password").fill(PASSWORD);
    await asked.getByRole("button", { name: "Confirm" }).click();
  });
  const approver = await newMember(browser, "Bea", ORGANIZATION, "approver");
  // Nobody's own request is answered by a rule of theirs.
  const starter = await newMember(browser, "Otto", ORGANIZATION, "operator");
  const server = { name: "Finance ERP", url: `${invoiceServer()}/mcp` };
  expect((await apiOf(owner).write("POST", "/servers", server)).status()).toBe(201);
  const start = () => startInvoice(starter, { sample: "acme" });

  // In shadow: what it would have said is kept beside what people decide.
  await save(owner, policyWith({ mode: "shadow", dailyCap: 1 }));
  const agreed = await start();
  const disagreed = await start();
  const requests: string[] = [];
  for (const { taskId } of [agreed, disagreed]) requests.push(await openRequest(starter, taskId));
  await expect.poll(async () => (await stateOf(owner)).shadowed, LATER).toBe(2);
  await answer(approver, requests[0]!, { value: "approve" });
  await answer(approver, requests[1]!, { value: "reject" });
  await owner.goto("/settings/policy");
  await expect(section(owner)).toContainText("2 of 20 decisions compared, 1 disagreement", LATER);
  await section(owner).getByRole("button", { name: "Show 1 disagreement" }).click();
  await expect(section(owner)).toContainText("Rejected by Bea");
  await checkAppearance(owner, "automatic, in shadow");
  await opensRequest(owner, disagreed);

  // The same on the past.
  await owner.getByRole("button", { name: "Try it on the last 30 days" }).click();
  const tried = owner.getByRole("region", { name: "Try it on the last 30 days" });
  await expect(tried).toContainText("Tried on 2 requests that people decided", SOON);
  await expect(tried).toContainText("1 disagreement with people");
  await checkAppearance(owner, "policy, tried");

  // Live only for who types its name, since two decisions are too few.
  await saveInEditor(owner, policyWith({ mode: "live", dailyCap: 1 }));
  await expect(owner.getByText("Too few decisions were compared for this to go live")).toBeVisible(SOON);
  const go = owner.getByRole("button", { name: "Save, and let it answer" });
  await expect(go).toBeDisabled();
  await owner.getByLabel("Name of the rule").fill("Small");
  await expect(go).toBeDisabled();
  await owner.getByLabel("Name of the rule").fill(NAME);
  await checkAppearance(owner, "policy, acknowledged");
  await go.click();
  await expect(section(owner)).toContainText("0 of 1 answered today", SOON);

  // Within its cap: people have the second.
  const capped = [await start(), await start()];
  await expect.poll(async () => (await stateOf(owner)).kept.cap, LATER).toBe(1);
  expect((await stateOf(owner)).answeredToday).toBe(1);
  const told = async (invoices: StartedInvoice[]) => {
    const ledgers = await Promise.all(invoices.map(({ id }) => ledgerOf(id)));
    return ledgers.filter(({ told }) => told.length > 0).length;
  };
  await expect.poll(() => told(capped), LATER).toBe(1);
  const lists = await Promise.all(capped.map(({ taskId }) => requestsOf(owner, taskId)));
  const answered = lists.flat().find(({ answer }) => answer?.by.kind === "rule");
  await approver.goto(`/inbox/${answered?.id}`);
  await expect(requestPane(approver)).toContainText(` by the rule ${NAME}`, SOON);

  // Stopped in the middle of a burst: what was not on its way goes back to people.
  await save(owner, { ...policyWith({ mode: "live", dailyCap: 1000 }), acknowledge: [NAME] });
  await owner.goto("/settings/policy");
  const stop = section(owner).getByRole("button", { name: "Stop all automatic answers" });
  await expect(stop).toBeVisible(SOON);
  const before = (await stateOf(owner)).answeredToday;
  const burst: StartedInvoice[] = [];
  const startOne = async () => {
    const invoice = await start();
    burst.push(invoice);
    // The next one once this one has asked: what a burst costs is not a question of how fast it can be started.
    await expect.poll(async () => (await requestsOf(owner, invoice.taskId)).length, LATER).toBe(1);
  };
  // Starts go on until the stop is there and a few beyond it, whatever a press takes on this machine.
  let isStopped = false;
  const starting = (async () => {
    while (!isStopped) await startOne();
    for (let n = 0; n < AFTER_STOP; n++) await startOne();
  })();
  await expect.poll(async () => (await stateOf(owner)).answeredToday, LATER).toBeGreaterThan(before);
  await stop.click();
  await expect(section(owner)).toContainText("Olga stopped all automatic answers", SOON);
  isStopped = true;
  await starting;
  const atStop = await stateOf(owner);
  expect(atStop.stopped?.by.name).toBe("Olga");
  // All are asked; none is answered by a rule any more, and the server was told of none that was taken back.
  await expect
    .poll(async () => {
      const { answeredToday, kept } = await stateOf(owner);
      return answeredToday - before + kept.stopped;
    }, LATER)
    .toBe(burst.length);
  const after = await stateOf(owner);
  expect(after.answeredToday).toBe(atStop.answeredToday);
  expect(after.kept.stopped).toBeGreaterThanOrEqual(AFTER_STOP);
  await expect.poll(() => told(burst), LATER).toBe(after.answeredToday - before - after.undone);
  await checkAppearance(owner, "automatic, stopped");
  await expect(section(owner).getByRole("button", { name: "Stop all automatic answers" })).toBeHidden();
  await section(owner).getByRole("button", { name: "Resume automatic answers" }).click();
  await expect(stop).toBeVisible(SOON);
  expect((await stateOf(owner)).stopped).toBeNull();
  for (const { taskId } of burst) {
    const open = (await requestsOf(owner, taskId)).filter(({ state }) => state === "open");
    expect(open.map(({ answer }) => answer)).toEqual(open.map(() => null));
  }
  for (const page of [owner, approver, starter]) await page.context().close();
});
