/**
 * How long an organization keeps finished data: the permission to change it, and the confirmation to shorten
 * it.
 */
import { expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();

const PATH = "/api/v1/organization/retention";
const FOREVER = { messageDays: null, payloadDays: null, taskDays: null };

test("admins set it; for less time the slug is typed, and what is so already leaves no line", async () => {
  const acme = await web.organization("acme");
  const key = await web.key(acme, "admin");
  const change = (body: object) => web.call("PATCH", PATH, { key, body });
  expect((await web.call("GET", PATH, { key })).body).toEqual({ ...FOREVER, messageDays: 30 });
  expect((await change({ messageDays: null })).body).toEqual(FOREVER);
  const refused = await change({ taskDays: 90 });
  expect([refused.status, refused.body.errors]).toEqual([422, [{ field: "slug", message: "Type acme" }]]);
  const set = await change({ taskDays: 90, slug: "acme" });
  expect([set.status, set.body]).toEqual([200, { ...FOREVER, taskDays: 90 }]);
  expect((await change({ taskDays: 365, payloadDays: null })).body).toEqual({ ...FOREVER, taskDays: 365 });
  await change({ taskDays: 365 });
  for (const body of [{}, { slug: "acme" }, { taskDays: 0 }, { taskDays: 1.5 }, { days: 1 }])
    expect([body, (await change(body)).status]).toEqual([body, 422]);
  const lines = await web.call("GET", "/api/v1/events?type=organization.retention_changed", { key });
  expect(lines.body.items.map(({ data }: { data: object }) => data)).toEqual([
    { ...FOREVER, taskDays: 365 },
    { ...FOREVER, taskDays: 90 },
    FOREVER,
  ]);
  const operator = await web.key(acme, "operator");
  for (const [method, path] of [
    ["GET", PATH],
    ["PATCH", PATH],
    ["GET", `${PATH}/preview?messageDays=1&payloadDays=1&taskDays=1`],
  ] as const)
    expect(
      (await web.call(method, path, { key: operator, ...(method === "PATCH" && { body: { taskDays: 1 } }) }))
        .status,
    ).toBe(403);
});

test("two who shorten it at once: the second one's slug is about what the first one left", async () => {
  const key = await web.key(await web.organization("race"), "admin");
  const both = await Promise.all(
    [30, 60].map((taskDays) => web.call("PATCH", PATH, { key, body: { taskDays, slug: "race" } })),
  );
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const lines = await web.call("GET", "/api/v1/events?type=organization.retention_changed", { key });
  expect(lines.body.items).toHaveLength(2);
  expect((await web.call("GET", PATH, { key })).body).toEqual({ ...lines.body.items[0].data });
});

test("what would go is counted, each organization's own", async () => {
  const globex = await web.organization("globex");
  const server = await insertServer(web.db, globex);
  await insertTask(web.db, globex, server, { state: "completed" });
  await insertTask(web.db, globex, server);
  await withClient(web.database.adminUrl, (client) =>
    client.query("UPDATE task SET finished_at = now() - interval '9 days' WHERE finished_at IS NOT NULL"),
  );
  const preview = async (organization: string, days: number | "forever") => {
    const key = await web.key(organization, "admin");
    const query = `messageDays=${days}&payloadDays=${days}&taskDays=${days}`;
    return (await web.call("GET", `${PATH}/preview?${query}`, { key })).body;
  };
  expect(await preview(globex, 8)).toEqual({ messages: 0, payloads: 0, tasks: 1 });
  expect(await preview(globex, 10)).toEqual({ messages: 0, payloads: 0, tasks: 0 });
  expect(await preview(globex, "forever")).toEqual({ messages: 0, payloads: 0, tasks: 0 });
  expect(await preview(await web.organization("other"), 1)).toMatchObject({ tasks: 0 });
});
