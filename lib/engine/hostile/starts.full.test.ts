/** Servers that answer the one call with side effects with nonsense: it is made once, and a person is told what is known. */
import { describe, test } from "vitest";
import { createHostileFixture, PATIENCE_MS } from "../../../test/fixtures/hostile-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile, manyAtOnce } from "../../../test/for-file.ts";
import { unreadable } from "../../../test/servers/hostile-acts.ts";
import { type Act, type HostileServer, startHostileServer } from "../../../test/servers/hostile-server.ts";

const fixture = forFile(createHostileFixture);

/** Acts on polls only, because a call's reply has no task id. */
const OF_POLLS = "a task id of a megabyte";
const acts = Object.entries(unreadable("tools/call")).filter(([name]) => name !== OF_POLLS);
const cases = acts.flatMap(([name, act]) =>
  (["2025-11-25", "2026-07-28"] as const).map((era) => ({ name, era, act })),
);
/** The start is unknown, or refused by the server. `lost`: the same for a blocking call. */
const ENDS = ["start_unknown", "failed", "completed", "lost"];

const WORK = tool("work", { taskSupport: "required" });
const callsOf = ({ seen }: HostileServer) => seen.filter(({ method }) => method === "tools/call").length;

/** The same act, on calls only, after `release()`. */
function late(act: Act): { act: Act; letGo(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waits: Act = (asked) => {
    if (asked.message.method !== "tools/call") return false;
    void promise.then(() => act(asked));
    return true;
  };
  return { act: waits, letGo: resolve };
}

manyAtOnce();
describe.concurrent("a call is answered with", { timeout: 300_000 }, () => {
  test.for(cases)("$name ($era)", async ({ name, era, act }, { expect, onTestFinished }) => {
    const server = await startHostileServer(act);
    onTestFinished(() => server.close());
    const added = await fixture.organization.addServer(server.url, era);
    const id = await fixture.organization.startTask(added, {}, WORK);
    const task = await until(
      "its start is settled",
      async () => {
        const row = await fixture.queries.task(id);
        return ENDS.includes(row.state) && row;
      },
      PATIENCE_MS,
    );
    await fixture.secondTenantWorks();
    expect(callsOf(server)).toBe(1);
    // A readable reply without a task is a result.
    if (task.state === "completed") expect(name).toMatch(/never/);
    // True by then only if this process took seconds to read the reply.
    if (task.state === "lost") expect(era).toBe("2026-07-28");
    expect(JSON.stringify(task.error ?? "").length).toBeLessThan(3_000);
  });

  test.for([
    ["HTML as JSON", "bad_reply"],
    ["nine megabytes", "too_large"],
    ["endless bytes without a newline", "too_large"],
  ] as const)(
    "%s, once it is held: it is lost, and why is said",
    async ([name, code], { expect, ...test }) => {
      const { act, letGo } = late(unreadable("tools/call")[name]!);
      const server = await startHostileServer(act);
      test.onTestFinished(() => server.close());
      const id = await fixture.organization.startTask(
        await fixture.organization.addServer(server.url, "2026-07-28"),
        {},
        WORK,
      );
      await fixture.queries.inState(id, "working");
      letGo();
      expect((await fixture.queries.inState(id, "lost")).error).toMatchObject({ code });
      expect(callsOf(server)).toBe(1);
    },
  );

  test("429, once it is held: it was not run, and is called again", async ({ expect, onTestFinished }) => {
    const busy = late(({ response }) => !!response.writeHead(429, { "retry-after": "1" }).end());
    const server = await startHostileServer(busy.act);
    onTestFinished(() => server.close());
    const id = await fixture.organization.startTask(
      await fixture.organization.addServer(server.url, "2026-07-28"),
      {},
      WORK,
    );
    await fixture.queries.inState(id, "working");
    server.act = null;
    server.finish();
    busy.letGo();
    await fixture.queries.inState(id, "completed");
    expect(callsOf(server)).toBe(2);
  });
});
