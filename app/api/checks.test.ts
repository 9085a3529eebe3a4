/** Calls that make Intray call a machine of the caller's choice. */
import { expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();

test("that make Intray call servers of the caller's choice are bounded together, for each caller", async () => {
  const acme = await web.organization("acme");
  const key = await web.key(acme, "owner");
  const nobody = uuidv7();
  const statuses: number[] = [];
  for (let call = 0; call < CHECKS_PER_CALLER.limit; call++)
    statuses.push((await web.call("POST", `/api/v1/servers/${nobody}/check`, { key })).status);
  expect(new Set(statuses)).toEqual(new Set([404]));
  const refused = [
    await web.call("POST", `/api/v1/servers/${nobody}/check`, { key }),
    await web.call("POST", "/api/v1/servers", {
      key,
      body: { name: "x", url: "https://mcp.test.example/mcp" },
    }),
    await web.call("PATCH", `/api/v1/servers/${nobody}`, { key, body: { name: "x" } }),
    await web.call("POST", `/api/v1/audit-streams/${nobody}/test`, { key }),
    await web.call("POST", `/api/v1/webhooks/${nobody}/test`, { key }),
    await web.call("POST", `/api/v1/webhook-deliveries/${nobody}/resend`, { key }),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    refused.map(() => [429, "throttled"]),
  );
  const other = await web.key(acme, "operator");
  expect((await web.call("POST", `/api/v1/servers/${nobody}/check`, { key: other })).status).toBe(404);
});

test("webhooks that are added at once are no more than the limit", async () => {
  const acme = await web.organization("acme-webhooks");
  const key = await web.key(acme, "owner");
  const body = { url: "https://hooks.test.example/in", events: ["task.completed"] };
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => web.call("POST", "/api/v1/webhooks", { key, body })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, "too_many_webhooks"]));
});
