/**
 * Ten requests of different kinds, decided one after the other by the keys of the help sheet alone, and by thumbs on a
 * phone: each answer comes to the server once, and as meant. TEN_REQUESTS_PAUSE_MS is a person's pause after each key
 * or tap, for measuring.
 */
import type { Locator, Page } from "@playwright/test";
import type { Kind } from "./fixtures/question-kinds.ts";
import { ask, receivedAnswers } from "./fixtures/questions.ts";
import {
  deliverySteps,
  expect,
  holdFinger,
  keysListen,
  lookAt,
  newInvoiceId,
  openPhoneAs,
  requestPane,
  SOON,
  tabTo,
  test,
} from "./fixtures/test.ts";

const PAUSE_MS = Number(process.env.TEN_REQUESTS_PAUSE_MS || 0);

interface Decision {
  kind: Kind;
  decide(hands: Hands): Promise<void>;
  touch(thumbs: Thumbs): Promise<void>;
  answer: { action: string; content?: Record<string, unknown> };
}

const accept = (content: Record<string, unknown>) => ({ action: "accept", content });

const TEN: Decision[] = [
  {
    kind: "deploy",
    decide: (hands) => hands.press("a"),
    touch: (thumbs) => thumbs.tap("Confirm"),
    answer: accept({}),
  },
  {
    kind: "approve_payment",
    decide: (hands) => hands.press("a"),
    touch: (thumbs) => thumbs.tap("Approve"),
    answer: accept({ decision: "approve" }),
  },
  {
    kind: "approve_payment",
    decide: (hands) => hands.press("r"),
    touch: (thumbs) => thumbs.tap("Reject"),
    answer: accept({ decision: "reject" }),
  },
  {
    // It destroys: A only leads to the button, which is held.
    kind: "delete_file",
    async decide(hands) {
      await hands.press("a");
      await hands.hold("Enter");
    },
    touch: (thumbs) => thumbs.hold("Confirm"),
    answer: accept({ confirm: true }),
  },
  {
    kind: "research",
    decide: (hands) => hands.press("a", "Enter"),
    touch: (thumbs) => thumbs.tap("The programming language"),
    answer: accept({ sense: "the_programming_language" }),
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
    async touch(thumbs) {
      await thumbs.choose("radio", "Editor");
      // A phone's own picker; no page draws it.
      await thumbs.type(/^Until/, "2026-12-31");
      await thumbs.tap("Send answer");
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
    async touch(thumbs) {
      await thumbs.choose("checkbox", "Nordics");
      await thumbs.choose("checkbox", "United Kingdom (sends “uk”)");
      await thumbs.tap("Send answer");
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
    async touch(thumbs) {
      await thumbs.type(/^Account/, "4711");
      await thumbs.type(/^Tolerance/, "0.5");
      await thumbs.tap("Send answer");
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
    async touch(thumbs) {
      await thumbs.tap("Decline…");
      await thumbs.type(/^Reason/, "No keys in forms", thumbs.page.getByRole("dialog"));
      await thumbs.tap("Decline", thumbs.page.getByRole("dialog"));
    },
    answer: { action: "decline" },
  },
  {
    kind: "deploy",
    decide: (hands) => hands.press("a"),
    touch: (thumbs) => thumbs.tap("Confirm"),
    answer: accept({}),
  },
];

test("ten requests are decided with the keyboard alone", { tag: "@journey" }, async ({ ana, ben }) => {
  test.setTimeout(240_000);
  const ten = await askTen(ana);
  const hands = handsOf(ben);
  await ben.goto(`/inbox?tab=all&q=${ten.batch}`);
  await expect(rowsOf(ben)).toHaveCount(10);
  await keysListen(ben);
  const seconds = await decideAll(ben, ten.labels, ({ decide }) => decide(hands));
  process.stdout.write(`Ten requests by keyboard: ${seconds}, ${hands.count()} keys\n`);
  await expectAnswers(ana, ten);
});

test("ten requests are decided on a phone with thumbs alone", async ({ ana, browser }) => {
  test.setTimeout(240_000);
  const ten = await askTen(ana);
  const ben = await openPhoneAs(browser, "Ben");
  const thumbs = thumbsOf(ben);
  await ben.goto(`/inbox?tab=all&q=${ten.batch}`);
  await expect(rowsOf(ben)).toHaveCount(10);
  await rowsOf(ben).first().tap();
  const seconds = await decideAll(ben, ten.labels, ({ touch }) => touch(thumbs));
  process.stdout.write(`Ten requests on a phone: ${seconds}, ${thumbs.count()} taps\n`);
  await expectAnswers(ana, ten);
  await ben.context().close();
});

interface Ten {
  batch: string;
  labels: string[];
}

async function askTen(ana: Page): Promise<Ten> {
  const batch = newInvoiceId();
  const labels = TEN.map((_, at) => `${batch}-${at}`);
  for (const [at, { kind }] of TEN.entries()) await ask(ana, kind, { batch, label: labels[at] });
  return { batch, labels };
}

const rowsOf = (page: Page) =>
  page
    .getByRole("region", { name: "Requests", exact: true })
    .getByRole("listitem")
    .locator('a[href*="/inbox/"]');

/** Decides the ten, from the first that is open on; each decision opens the next. Returns the times, in words. */
async function decideAll(
  page: Page,
  labels: string[],
  decide: (decision: Decision) => Promise<void>,
): Promise<string> {
  const isOpen = (label: string) =>
    expect(requestPane(page).getByText(label, { exact: true }).first()).toBeVisible(SOON);
  const began = performance.now();
  const each: string[] = [];
  for (const [at, decision] of TEN.entries()) {
    const from = performance.now();
    await isOpen(labels[at]!);
    await decide(decision);
    if (at < TEN.length - 1) {
      await isOpen(labels[at + 1]!);
      await lookAt(page);
    } else
      await expect(
        deliverySteps(page)
          .or(page.getByText(/Inbox zero|Nothing left in this list/))
          .first(),
      ).toBeVisible(SOON);
    each.push(`${decision.kind} ${((performance.now() - from) / 1_000).toFixed(1)}`);
  }
  return `${((performance.now() - began) / 1_000).toFixed(1)} s (${each.join(", ")})`;
}

/** The server has received each answer once, as it was meant. */
async function expectAnswers(ana: Page, { batch, labels }: Ten): Promise<void> {
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
      received.filter(({ arguments: { label } }) => label === labels[at]).map((one) => one.answer),
    ).toEqual([answer]);
}

/** The button to be held, before and while it is. */
const HELD = { name: /^(Confirm|Keep holding…)$/ };

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
    async hold(key: string) {
      const held = pane.getByRole("button", HELD);
      await page.keyboard.down(key);
      await expect(held).toHaveCount(0);
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

type Thumbs = ReturnType<typeof thumbsOf>;

/** A person with a phone. */
function thumbsOf(page: Page) {
  let count = 0;
  const pane = requestPane(page);
  const touched = async () => {
    count++;
    if (PAUSE_MS) await page.waitForTimeout(PAUSE_MS);
  };
  return {
    page,
    async tap(name: string, within: Locator = pane) {
      await within.getByRole("button", { name, exact: true }).tap();
      await touched();
    },
    async choose(role: "radio" | "checkbox", name: string) {
      await pane.getByRole(role, { name, exact: true }).tap();
      await touched();
    },
    async type(field: RegExp, text: string, within: Locator = pane) {
      const input = within
        .getByLabel(field)
        .or(within.getByRole("textbox", { name: field }))
        .first();
      await input.tap();
      await input.fill(text);
      await touched();
    },
    async hold(name: string) {
      const button = pane.getByRole("button", { name, exact: true });
      await holdFinger(page, button, () => expect(pane.getByRole("button", HELD)).toHaveCount(0));
      await touched();
    },
    count: () => count,
  };
}
