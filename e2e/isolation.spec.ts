/** Nobody sees anything of another organization: not by its address, in a list, in a search, nor in the stream. */
import type { Page } from "@playwright/test";
import type { Page as ListPage } from "../lib/base/page.ts";
import { apiOf, askAbout, expect, readRequest, startInvoice, test } from "./fixtures/test.ts";

test("what belongs to Acme is not there for Globex", { tag: "@journey" }, async ({ ana, ola, ben, gus }) => {
  const { id, taskId, requestId } = await askAbout(ola, ben);
  const { server, questionHash } = await readRequest(ben, requestId);

  await gus.goto(`/tasks/${taskId}`);
  await expect(gus.getByText("Task not found")).toBeVisible();
  await gus.goto(`/inbox/${requestId}`);
  await expect(gus.getByText("Request not found")).toBeVisible();
  await gus.goto(`/servers/${server.id}`);
  await expect(gus.getByText("Server not found")).toBeVisible();
  await gus.goto(`/tasks?q=${id}`);
  await expect(gus.getByText("No tasks match")).toBeVisible();
  await gus.goto(`/inbox?tab=all&q=${id}`);
  await expect(gus.getByText(`Nothing matches “${id}”`)).toBeVisible();
  await gus.goto("/servers");
  await expect(gus.getByRole("heading", { level: 2 })).toHaveText(["Finance ERP"]);

  const foreign = (await apiOf(ana).get<ListPage<{ id: string }>>("/members")).items[0]?.id ?? "";
  const task = `/tasks/${taskId}`;
  const request = `/input-requests/${requestId}`;
  const start = { serverId: server.id, tool: "process_invoice", arguments: {} };
  const calls: [string, string, unknown?][] = [
    ["GET", task],
    ["GET", `${task}/events`],
    ["GET", `${task}/messages`],
    ["POST", `${task}/cancel`],
    ["POST", `${task}/refresh`],
    ["POST", `${task}/restart`],
    ["PUT", `${task}/acknowledgement`, {}],
    ["DELETE", `${task}/acknowledgement`],
    ["GET", request],
    ["POST", `${request}/answer`, { action: "decline", questionHash }],
    ["PUT", `${request}/draft`, { content: {} }],
    ["POST", `${request}/assign`, { memberId: null }],
    ["POST", `${request}/hand-over`, { memberId: foreign }],
    ["GET", `${request}/documents`],
    ["GET", `${request}/similar`],
    ["POST", `/members/${foreign}/view-as`],
    ...["undo", "claim", "release", "resend"].map((each): [string, string] => ["POST", `${request}/${each}`]),
    ["GET", `/servers/${server.id}`],
    ["GET", `/servers/${server.id}/tools`],
    ["POST", `/servers/${server.id}/check`],
    ["PATCH", `/servers/${server.id}`, { name: "Ours now" }],
    ["DELETE", `/servers/${server.id}`],
    ["POST", "/tasks", start],
  ];
  const headers = { origin: process.env.E2E_URL ?? "" };
  for (const [method, path, data] of calls) {
    const response = await gus.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(response.status(), `${method} ${path}`).toBe(404);
    expect(response.headers()["content-type"], path).toContain("application/problem+json");
    expect(await response.json(), path).toMatchObject({ code: "not_found", status: 404 });
  }
  const lists = [
    "/tasks",
    "/input-requests",
    "/servers",
    "/members",
    "/events",
    `/tasks?serverId=${server.id}`,
  ];
  for (const path of lists) {
    const text = JSON.stringify(await apiOf(gus).get<ListPage<unknown>>(path));
    for (const theirs of [taskId, requestId, server.id, "acme.example"])
      expect(text, path).not.toContain(theirs);
  }
  expect(await readRequest(ben, requestId)).toMatchObject({
    state: "open",
    claimedBy: null,
    assignedTo: null,
  });
});

test("the stream of Globex tells nothing of Acme", async ({ ola, gus }) => {
  const [acme, globex] = [await listen(ola), await listen(gus)];
  const theirs = await startInvoice(ola);
  await expect.poll(acme).toContain(theirs.taskId);
  const own = await startInvoice(gus);
  await expect.poll(globex).toContain(own.taskId);
  expect(await globex()).not.toContain(theirs.taskId);
  expect(await acme()).not.toContain(own.taskId);
});

/** Gathers what the stream says to this person's browser, once it is open. */
async function listen(page: Page): Promise<() => Promise<string>> {
  await page.goto("/servers");
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const received: string[] = [];
        Object.assign(window, { received });
        const stream = new EventSource("/api/v1/stream");
        stream.onopen = () => resolve();
        stream.addEventListener("change", (event) => received.push(event.data));
      }),
  );
  return () => page.evaluate(() => (window as unknown as { received: string[] }).received.join("\n"));
}
