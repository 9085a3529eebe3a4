/** What operators look after: the overview with figures, failures by cause, and stuck tasks. */
import { expect } from "../fixtures/test.ts";
import type { GalleryFixture } from "./fixture.ts";
import { type Appearance, DARK, LIGHT, ON_PHONE, ON_PHONE_DARK, type Shot } from "./shot.ts";

const HOUR_MS = 3600_000;
const CAUSES: [count: number, code: string, message: (n: number) => string][] = [
  [12, "task_failed", (n) => `The ledger is closed for invoice INV-${300 + n}`],
  [5, "rejected", (n) => `HTTP 503 from the bank, reference ${n}f3a0${n}`],
  [1, "result_missing", () => "The server did not hand over the result."],
];

let made: Promise<void> | null = null;

/** A day of an organization with trouble: failed and stuck tasks, and figures of every hour. Made once. */
function troubledDay({ testRows }: GalleryFixture): Promise<void> {
  made ??= (async () => {
    const server = await testRows.serverNamed("Finance ERP");
    for (const [count, code, message] of CAUSES)
      for (let n = 0; n < count; n++)
        await testRows.insertTask(server, {
          state: "failed",
          label: `INV-${300 + n}`,
          error: { code, message: message(n) },
          finishedAt: new Date(Date.now() - n * 600_000),
        });
    for (const n of [1, 2])
      await testRows.insertTask(server, {
        state: "start_unknown",
        label: `INV-40${n}`,
        changedAt: new Date(Date.now() - n * 9 * HOUR_MS),
      });
    const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    await testRows.within(async (tx) => {
      for (let ago = 1; ago < 24; ago++) {
        const figures: Record<string, number> = {
          samples: 12,
          "open:working": ago % 5 === 0 ? 0 : 12 * (3 + (ago % 7)),
          "open:input_required": ago % 4 === 0 ? 0 : 12 * (ago % 6),
          "ended:failed": ago % 6 === 0 ? 2 : 0,
          "ended:completed": ago,
          started: ago,
          ...(ago % 6 === 0 && { "cause:task_failed": 2 }),
        };
        await tx.statistic.createMany({
          data: Object.entries(figures).map(([measure, amount]) => ({
            ...{
              organizationId: tx.organizationId,
              serverId: server.id,
              hours: 1,
              at: new Date(now - ago * HOUR_MS),
            },
            ...{ measure, amount: BigInt(amount) },
          })),
          skipDuplicates: true,
        });
      }
    });
  })();
  return made;
}

/** The look with a window that holds the whole page, which scrolls within itself. */
function whole({ size, ...look }: Appearance): Appearance {
  return { ...look, size: { ...size, height: size.width < 768 ? 4_200 : 1_900 } };
}

export const OPERATIONS: Shot[] = [
  {
    name: "overview",
    person: "Ola",
    appearances: [LIGHT, DARK, ON_PHONE, ON_PHONE_DARK].map(whole),
    async open(page, fixture) {
      await troubledDay(fixture);
      await page.goto("/overview");
      await expect(page.getByRole("heading", { name: "Tasks by state" })).toBeVisible();
    },
  },
  {
    name: "tasks failed today",
    person: "Ola",
    appearances: [LIGHT, DARK, ON_PHONE],
    async open(page, fixture) {
      await troubledDay(fixture);
      await page.goto("/tasks?state=failed");
      await expect(page.getByRole("link", { name: /INV-30/ }).first()).toBeVisible();
    },
  },
  {
    name: "tasks stuck",
    person: "Ola",
    appearances: [LIGHT, DARK, ON_PHONE],
    async open(page, fixture) {
      await troubledDay(fixture);
      await page.goto("/tasks?attention=stuck");
      await expect(page.getByRole("link", { name: /INV-40/ }).first()).toBeVisible();
    },
  },
  {
    name: "failures retried together",
    person: "Ola",
    async open(page, fixture) {
      await troubledDay(fixture);
      await page.goto("/tasks?state=failed");
      await page
        .getByRole("button", { name: /^Start these/ })
        .first()
        .click();
      await expect(page.getByRole("dialog").getByLabel(/^Type \d+ to confirm/)).toBeVisible();
    },
  },
  {
    name: "task stuck with an owner",
    person: "Ola",
    async open(page, fixture) {
      await troubledDay(fixture);
      const stuck = fixture.testRows.within((tx) =>
        tx.task.findFirstOrThrow({ where: { label: "INV-401" } }),
      );
      await page.goto(`/tasks/${(await stuck).id}`);
      await page.getByRole("button", { name: /^Take ownership/ }).click();
      await page.getByRole("dialog").getByLabel("Note").fill("Asking the bank");
      await page.keyboard.press("Enter");
      await expect(page.getByText(/Owner: you/)).toBeVisible();
    },
  },
  {
    name: "task queued for hours",
    person: "Ola",
    async open(page, fixture) {
      const server = await fixture.testRows.serverNamed("Finance ERP");
      const createdAt = new Date(Date.now() - 9 * HOUR_MS);
      const id = await fixture.testRows.insertTask(server, {
        ...{
          state: "queued",
          label: "INV-500",
          finishedAt: null,
          watched: true,
          createdAt,
          changedAt: createdAt,
        },
        startAfter: new Date(Date.now() + HOUR_MS),
      });
      await page.goto(`/tasks/${id}`);
      await expect(page.getByRole("list", { name: "Timeline" })).toContainText("Waiting");
    },
  },
];
