/** Recipes over a server that fails, changes its words or breaks off at the worst moment. */
import { describe, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import {
  APPROVE,
  createRecipeFixture,
  drop,
  failed,
  structured,
} from "../../../test/fixtures/recipes/recipe-fixture.ts";
import type { Asked } from "../../../test/servers/hostile-server.ts";

test("an approval whose reply was lost is not asked for anew within the minute in which its tool may still work, though the facts change", async () => {
  const fixture = await createRecipeFixture();
  let looks = 0;
  fixture.tools.approve = (asked) => {
    // It works on it, and says so beside the state, which is the same as yet.
    fixture.tools.status = () => {
      looks++;
      return structured({ state: "PENDING", queued: true });
    };
    return drop(asked);
  };
  const id = await fixture.start();
  const request = await fixture.openRequest(id);
  await fixture.organization.answer(request.id, APPROVE);
  await until("it was sent", async () => fixture.told.includes("approve"));
  await until("it was looked at", async () => looks > 4);
  const states = (await fixture.requestsOf(id)).map(({ state, endedReason }) => ({ state, endedReason }));
  expect(states).toEqual([{ state: "answered", endedReason: null }]);
});

describe("a status tool that answers with a JSON-RPC error, as for a tool that is gone", () => {
  const gone = ({ message, send }: Asked) =>
    void send({ jsonrpc: "2.0", id: message.id, error: { code: -32602, message: "Tool status not found" } });

  test("is told of at the task", async () => {
    const fixture = await createRecipeFixture();
    fixture.tools.status = gone;
    const id = await fixture.start();
    await until("people read why", async () =>
      (await fixture.task(id)).statusMessage?.includes("Tool status not found"),
    );
  });

  test("does not keep a cancel from being sent", async () => {
    const fixture = await createRecipeFixture();
    fixture.tools.status = gone;
    const id = await fixture.start();
    await fixture.inState(id, "working");
    await fixture.cancel(id);
    await until("it is told to stop", async () => fixture.told.includes("stop"));
    await fixture.inState(id, "cancelled");
  });
});

test("a tool that cancels may take as long as one of a choice, and is called once", async () => {
  const fixture = await createRecipeFixture();
  fixture.tools.stop = (asked) => {
    setTimeout(() => {
      fixture.tools.status = () => structured({ state: "PAYING" });
      asked.reply(structured({}));
    }, 8_000);
  };
  const id = await fixture.start();
  await fixture.openRequest(id);
  await fixture.cancel(id);
  await fixture.inState(id, "cancelled");
  expect(fixture.told).toEqual(["submit", "stop"]);
  expect(await fixture.health(fixture.server.serverId)).toBe("ok");
});

test("what a server says is not in the log", async () => {
  const fixture = await createRecipeFixture();
  fixture.tools.status = () => failed("Jane Doe, IBAN DE89370400440532013000, has no budget");
  const id = await fixture.start();
  await until("people read why", async () => (await fixture.task(id)).statusMessage?.includes("Jane Doe"));
  expect(fixture.log.filter((line) => line.includes("Jane Doe"))).toEqual([]);
});

test("a reply to an approval that makes no sense, and says that it failed, is no acceptance", async () => {
  const fixture = await createRecipeFixture();
  fixture.tools.approve = () => ({ content: "The limit is reached", isError: true });
  const id = await fixture.start();
  const request = await fixture.openRequest(id);
  await fixture.organization.answer(request.id, APPROVE);
  await until("it was sent", async () => fixture.told.includes("approve"));
  await until(
    "its outcome is stored",
    async () => (await fixture.deliveryOf(request.id)).acceptedAt !== null,
    15_000,
  ).catch(() => null);
  expect((await fixture.deliveryOf(request.id)).acceptedAt).toBeNull();
});

test("a tool that its server has no more refuses an approval, and is not called again and again", async () => {
  const fixture = await createRecipeFixture();
  fixture.tools.approve = ({ message, send }) =>
    void send({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Unknown tool" } });
  const request = await fixture.openRequest(await fixture.start());
  await fixture.organization.answer(request.id, APPROVE);
  await until("it was called", async () => fixture.told.includes("approve"));
  // The server still asks, so that a person decides anew.
  await until("it is open again", async () => (await fixture.request(request.id)).state === "open");
  expect(await fixture.deliveryOf(request.id)).toMatchObject({
    state: "failed",
    error: "approve failed: Unknown tool",
  });
  expect(fixture.told).toEqual(["submit", "approve"]);
});
