/**
 * Ten requests of different kinds, decided one after the other by the keys of the help sheet alone: each answer comes to
 * the server once, and as meant. TEN_REQUESTS_PAUSE_MS is a person's pause after each key, for measuring.
 */
import type { Locator, Page } from "@playwright/test";
import type { Kind } from "./fixtures/question-kinds.ts";
import { ask, receivedAnswers } from "./fixtures/questions.ts";
import {
  deliverySteps,
  expect,
  keysListen,
  newInvoiceId,
  requestPane,
  SOON,
  tabTo,
  test,
} from "./fixtures/test.ts";

const PAUSE_MS = Number(process.env.TEN_REQUESTS_PAUSE_MS || 0);

interface Decision {
  kind: Kind;
  decide(hands: Hands): Promise<void>;
  answer: { action: string; content?: Record<string, unknown> };
}

const accept = (content: Record<string, unknown>) => ({ action: "accept", content });

const TEN: Decision[] = [
  { kind: "deploy", decide: (hands) => hands.press("a"), answer: accept({}) },
  {
    kind: "approve_payment",
    decide: (hands) => hands.press("a"),
    answer: accept({ decision: "approve" }),
  },
  {
    kind: "approve_payment",
    decide: (hands) => hands.press("r"),
    answer: accept({ decision: "reject" }),
  },
  {
    // It destroys: A only leads to the button, which is held.
    kind: "delete_file",
    async decide(hands) {
      await hands.press("a");
      await hands.hold("Enter");
    },
    answer: accept({ confirm: true }),
  },
  {
    kind: "research",
    decide: (hands) => hands.press("a", "Enter"),
    answer: accept({ sense: "language" }),
  },
  {
    kind: "grant_access",
    async decide(hands) {
      await hands.reach(hands.pane.getByRole("radio").first());
      await hands.press("ArrowDown", "Tab");
      await hands.reach(hands.pane.getByLabel(/^Until/));
      await hands.press(..."12312026");
      await hands.send();
    },
    answer: accept({ role: "editor", until: "2026-12-31" }),
  },
  {
    kind: "choose_regions",
    async decide(hands) {
      await hands.reach(hands.pane.getByRole("checkbox", { name: "Nordics" }));
      await hands.press("Space", "Tab", "Space");
      await hands.send();
    },
    answer: accept({ regions: ["nordics", "uk"] }),
  },
  {
    kind: "import_ledger",
    async decide(hands) {
      await hands.reach(hands.pane.getByLabel(/^Account/));
      await hands.press(..."4711");
      await hands.reach(hands.pane.getByLabel(/^Tolerance/));
      await hands.press("ControlOrMeta+a", ..."0.5", "Enter");
    },
    answer: accept({ account: 4711, tolerance: 0.5 }),
  },
  {
    // The form asks for a secret, which Intray does not show.
    kind: "rotate_key",
    async decide(hands) {
      await hands.press("d");
      await expect(hands.page.getByRole("dialog").getByRole("textbox")).toBeFocused();
      await hands.press(..."No keys in forms", "ControlOrMeta+Enter");
    },
    answer: { action: "decline" },
  },
  { kind: "deploy", decide: (hands) => hands.press("a"), answer: accept({}) },
];

test("ten requests are decided with the keyboard alone", async ({ ana, ben }) => {
  test.setTimeout(240_000);
  const batch = newInvoiceId();
  const labels = TEN.map((_, at) => `${batch}-${at}`);
  for (const [at, { kind }] of TEN.entries()) await ask(ana, kind, { batch, label: labels[at] });
  const hands = handsOf(ben);
  await ben.goto(`/inbox?tab=all&q=${batch}`);
  await expect(ben.getByRole("region", { name: "Requests" }).locator('a[href*="/inbox/"]')).toHaveCount(10);
  await keysListen(ben);

  const began = performance.now();
  const seconds: string[] = [];
  for (const [at, { kind, decide }] of TEN.entries()) {
    const from = performance.now();
    // The first is open from the start; every decision opens the next.
    await expect(hands.pane.getByText(labels[at]!, { exact: true }).first()).toBeVisible(SOON);
    await decide(hands);
    if (at < TEN.length - 1)
      await expect(hands.pane.getByText(labels[at + 1]!, { exact: true }).first()).toBeVisible(SOON);
    else
      await expect(
        deliverySteps(ben)
          .or(ben.getByText(/Inbox zero|Nothing left in this list/))
          .first(),
      ).toBeVisible(SOON);
    seconds.push(`${kind} ${((performance.now() - from) / 1_000).toFixed(1)}`);
  }
  const total = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(`Ten requests in ${total} s, ${hands.count()} keys (${seconds.join(", ")})\n`);

  const arrived = async () => (await receivedAnswers()).filter((answer) => answer.arguments.batch === batch);
  await expect.poll(async () => (await arrived()).length, SOON).toBe(10);
  // A second delivery would have arrived by now.
  await expect(async () => {
    for (const label of labels) {
      const list = await ana.request.get(`/api/v1/tasks?q=${label}`);
      expect((await list.json()).items).toMatchObject([{ state: "completed" }]);
    }
  }).toPass(SOON);
  const received = await arrived();
  expect(received.length).toBe(10);
  for (const [at, { answer }] of TEN.entries())
    expect(
      received.filter(({ arguments: { label } }) => label === labels[at]).map((each) => each.answer),
    ).toEqual([answer]);
});

type Hands = ReturnType<typeof handsOf>;

/** A person at the keyboard, who never touches the mouse. */
function handsOf(page: Page) {
  let count = 0;
  const pane = requestPane(page);
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      count++;
      if (PAUSE_MS) await page.waitForTimeout(PAUSE_MS);
    }
  };
  // By Tab, from where the focus is.
  const reach = (target: Locator) => tabTo(page, target, press);
  return {
    page,
    pane,
    /** Until the button says that it records. */
    async hold(key: string) {
      await page.keyboard.down(key);
      await expect(pane.getByRole("button", { name: "Confirm" })).toHaveCount(0);
      await page.keyboard.up(key);
      count++;
    },
    count: () => count,
    press,
    reach,
    /** From a field where letters are text, or none. */
    async send() {
      await reach(pane.getByRole("button", { name: "Send answer" }));
      await press("Enter");
    },
  };
}
