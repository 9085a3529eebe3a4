import { expect, test, vi } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";
import { patiently } from "../../test/setup/patience.ts";

const web = webForFile();

/** Opens a stream and collects its events. */
async function listen(who: string | { cookie: string }) {
  const abort = new AbortController();
  const { GET } = await import("@/app/api/v1/stream/route.ts");
  const request = new Request("http://localhost:3000/api/v1/stream", {
    headers: typeof who === "string" ? { authorization: `Bearer ${who}` } : { cookie: who.cookie },
    signal: abort.signal,
  });
  const response = await GET(request, { params: Promise.resolve({}) });
  const stream = { response, text: "", ended: false, leave: () => abort.abort() };
  void (async () => {
    for await (const chunk of response.body ?? []) stream.text += new TextDecoder().decode(chunk);
    stream.ended = true;
  })();
  return stream;
}

function notify(organizationId: string, changes: [string, string][]): Promise<unknown> {
  const payload = JSON.stringify({ o: organizationId, c: changes });
  return withClient(web.database.ownerUrl, (client) =>
    client.query("SELECT pg_notify('intray_change', $1)", [payload]),
  );
}

test("hints reach the streams of their organization, and no other", async () => {
  const [acme, globex] = [await web.organization("acme"), await web.organization("globex")];
  const [t1, t2] = [await taskOf(acme), await taskOf(globex)];
  const ours = await listen(await web.key(acme, "viewer"));
  const theirs = await listen(await web.key(globex, "viewer"));
  expect(ours.response.headers.get("content-type")).toContain("text/event-stream");
  expect(ours.response.headers.get("cache-control")).toBe("no-cache, no-transform");
  // The connection may still be opening: repeats the change until the stream reports it.
  await patiently(async () => {
    await notify(acme, [["task", t1]]);
    expect(ours.text).toContain(`event: change\ndata: {"topic":"task","id":"${t1}"}\n\n`);
  });
  expect(theirs.text).not.toContain("change");

  // To the connection, this is a restart of Postgres: all streams tell clients to refetch everything.
  await withClient(web.database.adminUrl, (client) =>
    client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%intray_change%'",
    ),
  );
  await patiently(() => expect(theirs.text).toContain('data: {"topic":"*","id":"*"}'));
  await notify(globex, [["task", t2]]);
  await patiently(() => expect(theirs.text).toContain(t2));
  expect(ours.text).not.toContain(t2);
  for (const stream of [ours, theirs]) stream.leave();
  await patiently(() => expect([ours.ended, theirs.ended]).toEqual([true, true]));
});

const taskOf = async (organizationId: string) =>
  insertTask(web.db, organizationId, await insertServer(web.db, organizationId));

test("hints of a private task reach its requester and whom it asks, and nobody else learns that it is there", async () => {
  const acme = await web.organization("private");
  const [ana, ben, cleo] = [
    await web.member(acme, "Ana", "owner"),
    await web.member(acme, "Ben", "operator"),
    await web.member(acme, "Cleo", "approver"),
  ];
  const server = await insertServer(web.db, acme);
  const open = await insertTask(web.db, acme, server);
  const own = await insertTask(web.db, acme, server, { visibility: "private", requester: ben.userId });
  const question = await insertRequest(web.db, acme, own);
  const asking = await insertTask(web.db, acme, server, { visibility: "private", requester: ben.userId });
  const assigned = await insertRequest(web.db, acme, asking, { assignee: cleo.userId });
  const streams = {
    ana: await listen(ana),
    ben: await listen(ben),
    cleo: await listen(cleo),
    key: await listen(await web.key(acme, "owner")),
  };
  const heard = () =>
    Object.fromEntries(
      Object.entries(streams).map(([name, { text }]) => [
        name,
        [own, question.id, asking, assigned.id].filter((id) => text.includes(id)).length,
      ]),
    );
  // The connection may still be opening: repeats until each has heard of the last of all.
  await patiently(async () => {
    await notify(acme, [
      ["task", own],
      ["input_request", question.id],
      ["task", asking],
      ["input_request", assigned.id],
    ]);
    await notify(acme, [["task", open]]);
    for (const { text } of Object.values(streams)) expect(text).toContain(open);
    expect(heard()).toMatchObject({ ben: 4 });
  });
  await patiently(() => expect(heard()).toMatchObject({ cleo: 2 }));
  expect(heard()).toEqual({ ana: 0, ben: 4, cleo: 2, key: 0 });
  for (const stream of Object.values(streams)) stream.leave();
});

test("hints of tasks whose readers can't be looked up tell everybody to look, and nobody whose they are", async () => {
  const acme = await web.organization("away");
  const task = await insertTask(web.db, acme, await insertServer(web.db, acme));
  const stream = await listen(await web.key(acme, "owner"));
  await withClient(web.database.adminUrl, (client) => client.query("ALTER TABLE task RENAME TO task_away"));
  try {
    await patiently(async () => {
      await notify(acme, [["task", task]]);
      expect(stream.text).toContain('{"topic":"*","id":"*"}');
    });
  } finally {
    await withClient(web.database.adminUrl, (client) => client.query("ALTER TABLE task_away RENAME TO task"));
  }
  expect(stream.text).not.toContain(task);
  stream.leave();
});

test("one principal has eight streams at most, and gets another when one ends", async () => {
  const key = await web.key(await web.organization("many"), "viewer");
  const streams = await Promise.all(Array.from({ length: 8 }, () => listen(key)));
  const ninth = await listen(key);
  expect([ninth.response.status, ninth.response.headers.get("retry-after")]).toEqual([429, "30"]);
  streams[0]?.leave();
  await patiently(async () => {
    const again = await listen(key);
    expect(again.response.status).toBe(200);
    again.leave();
  });
  for (const stream of streams) stream.leave();
});

test("an organization has 500 streams at most at one process, and leaves others theirs", async () => {
  const [acme, globex] = [await web.organization("crowd"), await web.organization("quiet")];
  const keys = await Promise.all(Array.from({ length: 63 }, () => web.key(acme, "viewer")));
  const streams = await Promise.all(keys.flatMap((key) => Array.from({ length: 8 }, () => listen(key))));
  const refused = streams.filter(({ response }) => response.status === 429);
  expect(refused).toHaveLength(63 * 8 - 500);
  const other = await listen(await web.key(globex, "viewer"));
  expect(other.response.status).toBe(200);
  for (const stream of [...streams, other]) stream.leave();
});

test("a stream ends when its credential is revoked", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const organization = await web.organization("revoked");
    const key = await web.key(organization, "admin");
    const stream = await listen(key);
    const other = await web.key(organization, "admin");
    const { items } = (await web.call("GET", "/api/v1/api-keys", { key: other })).body;
    await web.call("DELETE", `/api/v1/api-keys/${items[0].id}`, { key: other });
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    await patiently(() => expect(stream.ended).toBe(true));
  } finally {
    vi.useRealTimers();
  }
});
