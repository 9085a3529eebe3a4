/**
 * Servers that bend the protocol as the original invoice demonstration does (its quirks a to e; the sample server's
 * README lists them): what must hold for people all the same.
 */
import { describe, test } from "vitest";
import {
  approve,
  eventually,
  inMonths,
  PAST,
  reject,
  setInvoiceScene,
} from "../../../test/fixtures/invoice-scene.ts";
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
      const scene = await setInvoiceScene({ onTestFinished }, "2025-11-25", quirks);
      const id = await scene.start(PAST);
      const request = await scene.openRequest(id);
      expect(request.message).toContain("INV-100");
      await scene.world.answer(request.id, approve);
      expect(await scene.inState(id, "completed")).toMatchObject({ outcome: "PAID", outcomeIsError: false });
      expect(await scene.told()).toHaveLength(1);
      expect(scene.calls("tools/call")).toBe(1);
    },
  );

  test('b: "Task not completed yet" is no error: the task works on, and its result comes when it has one', async ({
    expect,
    onTestFinished,
  }) => {
    const scene = await setInvoiceScene({ onTestFinished }, "2025-11-25", "b");
    // Answered by somebody else, just before the engine asks for the question: it meets a task that works.
    scene.proxy.behave.before = async ({ method }) => {
      if (method !== "tasks/result") return undefined;
      scene.proxy.behave.before = undefined;
      const ref = { taskId: (await scene.inLedger("created")).taskId, session: null };
      await scene.another().answer(ref, { kind: "key", key: "approval-1" }, approve, { deadlineMs: 10_000 });
      return undefined;
    };
    const id = await scene.start(inMonths());
    await eventually("it was asked too early", async () => scene.calls("tasks/result") > 0);
    await eventually("it works on", async () => (await scene.task(id)).statusMessage?.includes("PAYING"));
    expect(await scene.task(id)).toMatchObject({ state: "working", error: null });
    expect(await scene.health()).toBe("ok");
    expect((await scene.requestsOf(id)).filter(({ state }) => state === "open")).toEqual([]);

    await forcePay(scene.invoices.baseUrl, "INV-100");
    expect(await scene.inState(id, "completed")).toMatchObject({ outcome: "PAID", error: null });
  });

  test.for(BOTH)(
    "c (%s): a decline reaches the server as a decline, and nothing but a person's answer ever does",
    async (era, { expect, onTestFinished }) => {
      const scene = await setInvoiceScene({ onTestFinished }, era, "c");
      const id = await scene.start(PAST);
      const request = await scene.openRequest(id);
      // Refused here: there it would reject the invoice.
      for (const content of [undefined, {}, { value: "perhaps" }])
        await expect(
          scene.world.answer(request.id, { action: "accept", ...(content && { content }) }),
        ).rejects.toMatchObject({ code: "invalid_content" });
      // Streams are cut, and the engine ends and begins again: none of that is an answer.
      await scene.engine?.stop();
      await eventually("its streams are gone", async () => scene.proxy.held() === 0);
      const stoppedAt = new Date();
      await scene.world.startEngine();
      await eventually("the new engine has looked", async () => {
        const { lastCheckedAt } = await scene.watchOf(id);
        return lastCheckedAt && lastCheckedAt > stoppedAt;
      });
      expect(await scene.told()).toEqual([]);
      expect((await scene.requestsOf(id)).map(({ state }) => state)).toEqual(["open"]);

      await scene.world.answer(request.id, { action: "decline" });
      expect(await scene.inState(id, "completed")).toMatchObject({ outcome: "REJECTED" });
      const told = await scene.told();
      expect(told.map(({ data }) => [data.action, data.content])).toEqual([["decline", null]]);
    },
  );

  test.for(BOTH)(
    "d (%s): an invoice that a person rejected is completed, REJECTED, and no error",
    async (era, { expect, onTestFinished }) => {
      const scene = await setInvoiceScene({ onTestFinished }, era, "d");
      const id = await scene.start(PAST);
      await scene.world.answer((await scene.openRequest(id)).id, reject);
      expect(await scene.inState(id, "completed")).toMatchObject({
        outcome: "REJECTED",
        outcomeIsError: false,
        error: null,
      });
      expect((await scene.requestsOf(id)).map(({ state }) => state)).toEqual(["settled"]);
    },
  );

  test.for(BOTH)(
    "e (%s): `lastUpdatedAt` moves with every poll: no line in the history, no write, rarer polls, stalled by our clock",
    async (era, { expect, onTestFinished }) => {
      const scene = await setInvoiceScene({ onTestFinished }, era, "e");
      const { world } = scene;
      const id = await scene.start(inMonths());
      await scene.world.answer((await scene.openRequest(id)).id, approve);
      await eventually("it pays", async () => (await scene.task(id)).statusMessage?.includes("PAYING"));
      const quiet = await eventually("it is quiet", async () => {
        const watch = await scene.watchOf(id);
        return watch.unchangedPolls > 0 && watch;
      });
      const written = () =>
        world.within(async (tx) => {
          const where = { organizationId: world.organizationId };
          const { changedAt } = await tx.task.findFirstOrThrow({ where: { ...where, id } });
          return {
            changedAt,
            events: await tx.event.count({ where }),
            messages: await tx.protocolMessage.count({ where }),
          };
        });
      const before = await written();
      const polls = scene.calls("tasks/get");
      const later = await eventually("many polls", async () => {
        const watch = await scene.watchOf(id);
        // On a slow machine several have passed before the first was seen here.
        return watch.unchangedPolls >= Math.max(7, quiet.unchangedPolls + 4) && watch;
      });
      expect(scene.calls("tasks/get")).toBeGreaterThan(polls + 2);
      expect(later.nextCheckAt!.getTime() - later.lastCheckedAt!.getTime()).toBeGreaterThan(2_500);
      expect(await written()).toEqual(before);

      expect((await scene.shown(id)).stalled).toBe(false);
      await scene.rewrite(id, Prisma.sql`changed_at = now() - interval '7 hours'`);
      await eventually(
        "one more poll",
        async () => (await scene.watchOf(id)).unchangedPolls > later.unchangedPolls,
      );
      expect((await scene.shown(id)).stalled).toBe(true);
    },
  );

  test.for(BOTH)(
    "all of them (%s): the demonstration as it is: an invoice that asks twice is answered twice, and paid once",
    async (era, { expect, onTestFinished }) => {
      const scene = await setInvoiceScene({ onTestFinished }, era, "a,b,c,d,e,f,g,h,i");
      const id = await scene.start(PAST, { amount: 6_000 });
      await scene.world.answer((await scene.openRequest(id)).id, approve);
      const second = await eventually("it asks for more", async () =>
        (await scene.requestsOf(id)).find(({ message }) => message.includes("cost center")),
      );
      await scene.world.answer(second.id, { action: "accept", content: { cost_center: "CC-1000" } });
      expect(await scene.inState(id, "completed")).toMatchObject({ outcome: "PAID", outcomeIsError: false });
      expect((await scene.requestsOf(id)).map(({ state }) => state)).toEqual(["settled", "settled"]);
      const ledger = (await readLedger(scene.invoices.baseUrl)).map(({ kind }) => kind);
      expect(ledger.filter((kind) => ["told", "paid", "corrupted"].includes(kind))).toEqual([
        "told",
        "told",
        "paid",
      ]);
    },
  );
});
