/** The quirks f to i of the original demonstration: killed engines, tasks that never end, lost starts, months. */
import { describe, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  approve,
  createInvoiceFixture,
  eventually,
  inMonths,
  invoiceDue,
  PAST,
} from "../../../test/fixtures/invoice-fixture.ts";
import { forcePay, readLedger } from "../../../test/fixtures/sample-ledger.ts";
import { Prisma } from "../../base/db/db.ts";

const BOTH = ["2025-11-25", "2026-07-28"] as const;
const notPromising = { honoursIdempotencyKey: false };

describe.concurrent("a server with quirks, over time", { timeout: 180_000 }, () => {
  test.for(
    BOTH.flatMap((era) =>
      (["before", "after"] as const).map((moment) => ({
        era,
        moment,
        words: moment === "before" ? "before the server had it" : "after the server took it",
      })),
    ),
  )(
    "f ($era): the engine is killed over an answer, $words: exactly one answer reaches a server that a second one would ruin",
    async ({ era, moment }, { expect, onTestFinished }) => {
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "f", { engine: false });
      const { organization, proxy } = fixture;
      const first = await startEngineProcess(organization.engineEnvironment);
      onTestFinished(() => first.kill());
      const id = await fixture.start(inMonths());
      const request = await fixture.openRequest(id);
      const method = era === "2025-11-25" ? "answer" : "tasks/update";
      proxy.behave[moment] = async (seen) => {
        if (seen.method !== method) return undefined;
        proxy.behave[moment] = undefined;
        await first.kill();
        return "drop";
      };
      await organization.answer(request.id, approve);
      await eventually("the engine was killed over it", async () => fixture.calls(method) > 0);
      await organization.startEngine();
      await eventually("it pays", async () => (await fixture.task(id)).statusMessage?.includes("PAYING"));
      await eventually("it is confirmed", async () => (await fixture.deliveryOf(id)).state === "confirmed");
      await forcePay(fixture.invoices.baseUrl, "INV-100");
      expect(await fixture.inState(id, "completed")).toMatchObject({ outcome: "PAID" });
      expect(await fixture.acceptedAnswers()).toHaveLength(1);
      // The answer whose connection was cut counts as sent.
      expect(fixture.calls(method)).toBe(moment === "before" ? 2 : 1);
      expect((await readLedger(fixture.invoices.baseUrl)).map(({ kind }) => kind)).not.toContain("corrupted");
    },
  );

  test.for(BOTH)(
    "g (%s): `working` for ever after the server gave up: the badge says stalled",
    async (era, { expect, onTestFinished }) => {
      const settings = { INVOICE_VALIDATION_MISMATCH: "1" };
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "g", { settings });
      const id = await fixture.start(PAST);
      await fixture.inLedger("gave_up");
      expect(await fixture.shown(id)).toMatchObject({ state: "working", stalled: false });
      await fixture.rewrite(id, Prisma.sql`changed_at = now() - interval '7 hours'`);
      const polls = fixture.calls("tasks/get");
      await eventually("it is polled on", async () => fixture.calls("tasks/get") > polls + 1);
      expect(await fixture.shown(id)).toMatchObject({ state: "working", stalled: true });
    },
  );

  test.for(BOTH)(
    "g (%s): `input_required` for ever after a cancel: cancelled here, with the server's word beside it",
    async (era, { expect, onTestFinished }) => {
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "g");
      const id = await fixture.start(PAST);
      const request = await fixture.openRequest(id);
      await fixture.cancel(id);
      expect(await fixture.inState(id, "cancelled")).toMatchObject({ serverState: "input_required" });
      await expect(fixture.organization.answer(request.id, approve)).rejects.toThrow();
      expect(fixture.calls("tasks/cancel")).toBe(1);
      expect(await fixture.acceptedAnswers()).toEqual([]);
    },
  );

  test.for(BOTH)(
    "g (%s): an answer to a question that nobody waits for any more is flagged, never called done",
    async (era, { expect, onTestFinished }) => {
      const settings = { INVOICE_ANSWER_WITHIN_MS: "1000" };
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "g", { settings });
      const id = await fixture.start(PAST);
      const request = await fixture.openRequest(id);
      await fixture.inLedger("gave_up");
      await fixture.organization.answer(request.id, approve);
      await eventually("it is flagged", async () => (await fixture.deliveryOf(id)).flagged);
      expect((await fixture.requestsOf(id)).map(({ state }) => state)).toEqual(["answered"]);
      expect((await fixture.task(id)).state).toBe("input_required");
      // 2026-07-28 shows open questions, so the answer is sent once. 2025-11-25 asks again, and may be answered five times.
      expect((await fixture.acceptedAnswers()).length).toBeLessThanOrEqual(era === "2026-07-28" ? 1 : 5);
    },
  );

  test("h: a start that was cut off is found again in a list without names and pages, and called once", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await createInvoiceFixture({ onTestFinished }, "2025-11-25", "h");
    fixture.proxy.behave.after = async ({ method }) => (method === "tools/call" ? "drop" : undefined);
    const id = await fixture.start(PAST, { tool: notPromising });
    const request = await fixture.openRequest(id);
    expect(await fixture.task(id)).toMatchObject({ adopted: true });
    await fixture.organization.answer(request.id, approve);
    expect(await fixture.inState(id, "completed")).toMatchObject({ outcome: "PAID" });
    expect(fixture.calls("tools/call")).toBe(1);
  });

  test("h: the same, but another client started a task in that moment: none is taken for ours, a person decides", async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await createInvoiceFixture({ onTestFinished }, "2025-11-25", "h");
    fixture.proxy.behave.after = async ({ method }) => {
      if (method !== "tools/call") return undefined;
      const input = { tool: "process_invoice", arguments: invoiceDue(PAST), ttlMs: null };
      await fixture
        .another()
        .start(null, { ...input, idempotencyKey: "another's" }, DEAF, { deadlineMs: 10_000 });
      return "drop";
    };
    const id = await fixture.start(PAST, { tool: notPromising });
    expect(await fixture.inState(id, "start_unknown")).toMatchObject({ adopted: false });
    expect(fixture.calls("tools/call")).toBe(1);
  });

  test.for(BOTH)(
    "i (%s): a line that falls due in months: rare polls, no stream, and no end because of the ttl it named",
    async (era, { expect, onTestFinished }) => {
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "i");
      const { organization } = fixture;
      const { organizationId } = organization;
      const id = await fixture.start(inMonths());
      await fixture.organization.answer((await fixture.openRequest(id)).id, approve);
      await eventually("it pays", async () => (await fixture.task(id)).statusMessage?.includes("PAYING"));
      await eventually("it is confirmed", async () => (await fixture.deliveryOf(id)).state === "confirmed");
      await fixture.engine?.stop();

      // A month later.
      await fixture.rewrite(
        id,
        Prisma.sql`created_at = now() - interval '30 days', started_at = now() - interval '30 days',
        changed_at = now() - interval '30 days', expires_at = now() - interval '25 days'`,
      );
      const where = { organizationId, taskId: id };
      const stoppedAt = new Date();
      await organization.within(async (tx) => {
        await tx.taskWatch.updateMany({ where, data: { unchangedPolls: 1_000 } });
        // The trait was learned long ago.
        await tx.server.updateMany({ where: { organizationId }, data: { traits: { reissues: true } } });
      });
      await organization.startEngine();
      const watch = await eventually("it was looked at", async () => {
        const row = await fixture.watchOf(id);
        return row.lastCheckedAt && row.lastCheckedAt > stoppedAt && row;
      });
      expect(watch.nextCheckAt!.getTime() - watch.lastCheckedAt!.getTime()).toBeGreaterThan(290_000);
      expect((await fixture.task(id)).state).toBe("working");
      expect(fixture.proxy.held()).toBe(0);
    },
  );
});

const DEAF = {
  onQuestion: () => undefined,
  onRetracted: () => undefined,
  onStatus: () => undefined,
  onProgress: () => undefined,
  onEventId: () => undefined,
  onClosed: () => undefined,
};
