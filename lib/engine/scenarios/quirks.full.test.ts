/**
 * Servers that bend the protocol as the original invoice demonstration does (its quirks a to e; the sample server's
 * README lists them): what must hold for people all the same.
 */
import { describe, test } from "vitest";
import {
  approve,
  createInvoiceFixture,
  eventually,
  inMonths,
  PAST,
  reject,
} from "../../../test/fixtures/invoice-fixture.ts";
import { forcePay, readLedger } from "../../../test/fixtures/sample-ledger.ts";
import { Prisma } from "../../base/db/db.ts";

const BOTH = ["2025-11-25", "2026-07-28"] as const;

describe.concurrent("a server with quirks", { timeout: 180_000 }, () => {
  test.for([
    { quirks: "a", spelling: "modelcontextprotocol.io/related-task" },
    { quirks: "", spelling: "io.modelcontextprotocol/related-task" },
  ])(
    "a: a task announced in `_meta`, its question under $spelling: asked, answered, paid",
    async ({ quirks }, { expect, onTestFinished }) => {
      const fixture = await createInvoiceFixture({ onTestFinished }, "2025-11-25", quirks);
      const id = await fixture.start(PAST);
      const request = await fixture.openRequest(id);
      expect(request.message).toContain("INV-100");
      await fixture.organization.answer(request.id, approve);
      expect(await fixture.inState(id, "completed")).toMatchObject({
        outcome: "PAID",
        outcomeIsError: false,
      });
      expect(await fixture.acceptedAnswers()).toHaveLength(1);
      expect(fixture.calls("tools/call")).toBe(1);
    },
  );

  test('b: "Task not completed yet" is no error: the task works on, and its result comes when it has one', async ({
    expect,
    onTestFinished,
  }) => {
    const fixture = await createInvoiceFixture({ onTestFinished }, "2025-11-25", "b");
    // Another client answers just before the engine requests the question, so the task is working by then.
    fixture.proxy.behave.before = async ({ method }) => {
      if (method !== "tasks/result") return undefined;
      fixture.proxy.behave.before = undefined;
      const ref = { taskId: (await fixture.inLedger("created")).taskId, session: null };
      await fixture
        .another()
        .answer(ref, { kind: "key", key: "approval-1" }, approve, { deadlineMs: 10_000 });
      return undefined;
    };
    const id = await fixture.start(inMonths());
    await eventually("it was asked too early", async () => fixture.calls("tasks/result") > 0);
    await eventually("it works on", async () => (await fixture.task(id)).statusMessage?.includes("PAYING"));
    expect(await fixture.task(id)).toMatchObject({ state: "working", error: null });
    expect(await fixture.health()).toBe("ok");
    expect((await fixture.requestsOf(id)).filter(({ state }) => state === "open")).toEqual([]);

    await forcePay(fixture.invoices.baseUrl, "INV-100");
    expect(await fixture.inState(id, "completed")).toMatchObject({ outcome: "PAID", error: null });
  });

  test.for(BOTH)(
    "c (%s): a decline reaches the server as a decline, and nothing but a person's answer ever does",
    async (era, { expect, onTestFinished }) => {
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "c");
      const id = await fixture.start(PAST);
      const request = await fixture.openRequest(id);
      // Intray refuses this answer, which the server would take as a rejection of the invoice.
      for (const content of [undefined, {}, { value: "perhaps" }])
        await expect(
          fixture.organization.answer(request.id, { action: "accept", ...(content && { content }) }),
        ).rejects.toMatchObject({ code: "invalid_content" });
      // Cut streams and an engine restart must not count as an answer.
      await fixture.engine?.stop();
      await eventually("its streams are gone", async () => fixture.proxy.held() === 0);
      const stoppedAt = new Date();
      await fixture.organization.startEngine();
      await eventually("the new engine has looked", async () => {
        const { lastCheckedAt } = await fixture.watchOf(id);
        return lastCheckedAt && lastCheckedAt > stoppedAt;
      });
      expect(await fixture.acceptedAnswers()).toEqual([]);
      expect((await fixture.requestsOf(id)).map(({ state }) => state)).toEqual(["open"]);

      await fixture.organization.answer(request.id, { action: "decline" });
      expect(await fixture.inState(id, "completed")).toMatchObject({ outcome: "REJECTED" });
      const received = await fixture.acceptedAnswers();
      expect(received.map(({ data }) => [data.action, data.content])).toEqual([["decline", null]]);
    },
  );

  test.for(BOTH)(
    "d (%s): an invoice that a person rejected is completed, REJECTED, and no error",
    async (era, { expect, onTestFinished }) => {
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "d");
      const id = await fixture.start(PAST);
      await fixture.organization.answer((await fixture.openRequest(id)).id, reject);
      expect(await fixture.inState(id, "completed")).toMatchObject({
        outcome: "REJECTED",
        outcomeIsError: false,
        error: null,
      });
      expect((await fixture.requestsOf(id)).map(({ state }) => state)).toEqual(["settled"]);
    },
  );

  test.for(BOTH)(
    "e (%s): `lastUpdatedAt` moves with every poll: no line in the history, no write, rarer polls, stalled by our clock",
    async (era, { expect, onTestFinished }) => {
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "e");
      const { organization } = fixture;
      const id = await fixture.start(inMonths());
      await fixture.organization.answer((await fixture.openRequest(id)).id, approve);
      await eventually("it pays", async () => (await fixture.task(id)).statusMessage?.includes("PAYING"));
      const quiet = await eventually("it is quiet", async () => {
        const watch = await fixture.watchOf(id);
        return watch.unchangedPolls > 0 && watch;
      });
      const written = () =>
        organization.within(async (tx) => {
          const where = { organizationId: organization.organizationId };
          const { changedAt } = await tx.task.findFirstOrThrow({ where: { ...where, id } });
          return {
            changedAt,
            events: await tx.event.count({ where }),
            messages: await tx.protocolMessage.count({ where }),
          };
        });
      const before = await written();
      const polls = fixture.calls("tasks/get");
      const later = await eventually("many polls", async () => {
        const watch = await fixture.watchOf(id);
        // On a slow machine most of the seven have passed before the test sees the first.
        return watch.unchangedPolls >= Math.max(7, quiet.unchangedPolls + 1) && watch;
      });
      expect(fixture.calls("tasks/get")).toBeGreaterThan(polls);
      expect(later.nextCheckAt!.getTime() - later.lastCheckedAt!.getTime()).toBeGreaterThan(2_500);
      expect(await written()).toEqual(before);

      expect((await fixture.shown(id)).stalled).toBe(false);
      await fixture.rewrite(id, Prisma.sql`changed_at = now() - interval '7 hours'`);
      await eventually(
        "one more poll",
        async () => (await fixture.watchOf(id)).unchangedPolls > later.unchangedPolls,
      );
      expect((await fixture.shown(id)).stalled).toBe(true);
    },
  );

  test.for(BOTH)(
    "all of them (%s): the demonstration as it is: an invoice that asks twice is answered twice, and paid once",
    async (era, { expect, onTestFinished }) => {
      const fixture = await createInvoiceFixture({ onTestFinished }, era, "a,b,c,d,e,f,g,h,i");
      const id = await fixture.start(PAST, { amount: 6_000 });
      await fixture.organization.answer((await fixture.openRequest(id)).id, approve);
      const second = await eventually("it asks for more", async () =>
        (await fixture.requestsOf(id)).find(({ message }) => message.includes("cost center")),
      );
      await fixture.organization.answer(second.id, { action: "accept", content: { cost_center: "CC-1000" } });
      expect(await fixture.inState(id, "completed")).toMatchObject({
        outcome: "PAID",
        outcomeIsError: false,
      });
      expect((await fixture.requestsOf(id)).map(({ state }) => state)).toEqual(["settled", "settled"]);
      const ledger = (await readLedger(fixture.invoices.baseUrl)).map(({ kind }) => kind);
      expect(ledger.filter((kind) => ["told", "paid", "corrupted"].includes(kind))).toEqual([
        "told",
        "told",
        "paid",
      ]);
    },
  );
});
