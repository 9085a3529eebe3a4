/**
 * The service worker alone, in a real Chromium, before a server that is away, silent, or busy. A page and a list are all that it
 * asks a server for.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Page, test, type Worker } from "@playwright/test";

test.use({ serviceWorkers: "allow" });

const LIST = "/api/v1/input-requests";
const MEMBER = "user-1:organization-1";

interface Site {
  origin: string;
  /** Calls for the list. */
  calls: IncomingMessage[];
  /** How the list is answered. */
  answer: (response: ServerResponse) => void;
  /** The status of pages. */
  pageStatus: number;
  stop(): Promise<void>;
}

const list = (...messages: string[]) => ({
  nextCursor: null,
  items: messages.map((message) => ({
    ...{ message, tool: "pay", server: { name: "Finance" } },
    createdAt: new Date().toISOString(),
  })),
});
const json = (status: number, body: object) => (response: ServerResponse) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    if (pathname === "/sw.js")
      return void response
        .writeHead(200, { "content-type": "text/javascript" })
        .end(readFileSync("public/sw.js"));
    if (pathname !== LIST)
      return void response
        .writeHead(site.pageStatus, { "content-type": "text/html" })
        .end("<!doctype html><title>Page</title>");
    site.calls.push(request);
    site.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site: Site = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    answer: json(200, list("Pay INV-100?")),
    pageStatus: 200,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return site;
}

let site: Site;
test.beforeEach(async () => {
  site = await startSite();
});
test.afterEach(() => site.stop());

/** Opens a page whose worker is at work, and has noted nothing yet. */
async function open(page: Page): Promise<Worker> {
  const started = page.context().waitForEvent("serviceworker");
  await page.goto(`${site.origin}/inbox`);
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/sw.js");
    await navigator.serviceWorker.ready;
  });
  const worker = await started;
  await worker.evaluate(`navigator.setAppBadge = async () => {}`);
  return worker;
}

/** Hands the worker an event, and waits until it is done with it. */
const handle = (worker: Worker, type: string, fields: string) =>
  worker.evaluate(`(async () => {
    const done = [];
    dispatchEvent(Object.assign(new Event("${type}"), ${fields}, { waitUntil: (promise) => done.push(promise) }));
    await Promise.all(done);
  })()`);
const here = (worker: Worker) => handle(worker, "message", `{ data: { type: "here", member: "${MEMBER}" } }`);
/** What is kept under a name, or null. */
const kept = (page: Page, cacheName: string, key: string) =>
  page.evaluate(
    async ([cacheName, key]) => (await (await caches.match(key, { cacheName }))?.json()) ?? null,
    [cacheName, key] as const,
  );

test("notes that Intray was reached where it answered, and at no other time", async ({ page }) => {
  const worker = await open(page);
  await here(worker);
  expect(await kept(page, "intray-own", "/contact")).toEqual({ at: expect.any(Number) });
  const long = { at: Date.now() - 3600_000 };
  const forget = () => worker.evaluate(`lastReachedAt = 0; write(OWN, "/contact", ${JSON.stringify(long)})`);

  // A proxy answers for an Intray that is away.
  await forget();
  site.pageStatus = 502;
  site.answer = json(503, {});
  await page.goto(`${site.origin}/inbox`);
  await here(worker);
  expect(await kept(page, "intray-own", "/contact")).toEqual(long);

  site.pageStatus = 200;
  await page.goto(`${site.origin}/inbox`);
  await expect.poll(async () => (await kept(page, "intray-own", "/contact")).at).toBeGreaterThan(long.at);

  await forget();
  await site.stop();
  await here(worker);
  await page.goto(`${site.origin}/inbox`, { waitUntil: "commit" });
  await expect(page.getByRole("heading", { name: "No connection" })).toBeVisible();
  expect(await kept(page, "intray-own", "/contact")).toEqual(long);
  await expect(page.getByText("Pay INV-100?")).toBeVisible();
});

test("asks for the list of the member for whom the page is, and keeps no other", async ({ page }) => {
  const worker = await open(page);
  await here(worker);
  expect(site.calls.map(({ headers }) => headers["x-intray-organization"])).toEqual(["organization-1"]);
  const before = await kept(page, "intray-private", "/waiting");
  expect(before.requests).toMatchObject([{ message: "Pay INV-100?" }]);
  // The session works in another organization, or looks as another member.
  site.answer = json(409, { code: "organization_changed" });
  await here(worker);
  expect(await kept(page, "intray-private", "/waiting")).toEqual(before);
  site.answer = json(401, {});
  await here(worker);
  expect(await kept(page, "intray-private", "/waiting")).toBeNull();
});

test("keeps no list that comes after its member has signed out", async ({ page }) => {
  const worker = await open(page);
  let release = () => {};
  const asked = new Promise<void>((resolve) => {
    site.answer = (response) => {
      release = () => json(200, list("Pay INV-100?"))(response);
      resolve();
    };
  });
  const reading = here(worker);
  await asked;
  await page.evaluate(() => caches.delete("intray-private"));
  release();
  await reading;
  expect(await kept(page, "intray-private", "/waiting")).toBeNull();
});

test("shows no list that is older than an unused session, and deletes it", async ({ page }) => {
  const worker = await open(page);
  await here(worker);
  await worker.evaluate(
    `read(PRIVATE, "/waiting").then((waiting) => write(PRIVATE, "/waiting", { ...waiting, at: Date.now() - 121 * 60_000 }))`,
  );
  await site.stop();
  await page.goto(`${site.origin}/inbox`, { waitUntil: "commit" });
  await expect(page.getByRole("heading", { name: "No connection" })).toBeVisible();
  await expect(page.getByText("Pay INV-100?")).toHaveCount(0);
  expect(await kept(page, "intray-private", "/waiting")).toBeNull();
});

test("shows each message at once, also where Intray does not answer", async ({ page }) => {
  const worker = await open(page);
  await here(worker);
  await worker.evaluate(`
    self.told = [];
    registration.showNotification = async (title) => void told.push(title);
    registration.getNotifications = async () => [];`);
  let calls = 0;
  site.answer = () => {
    calls++;
  };
  for (const version of [1, 2]) {
    const item = { title: `Message ${version}`, body: "", tag: "counts", path: "/inbox", since: version };
    const data = { deviceId: "d", version, items: [{ ...item, alert: true }], count: 1, testId: null };
    const message = JSON.stringify({ notification: { data } });
    // Not waited for: the list never comes.
    await worker.evaluate(
      `void dispatchEvent(Object.assign(new Event("push"), { data: { json: () => (${message}) }, waitUntil() {} }))`,
    );
    await expect.poll(() => calls).toBe(version);
    expect(await worker.evaluate(`told`)).toEqual(
      Array.from({ length: version }, (_, n) => `Message ${n + 1}`),
    );
  }
});
