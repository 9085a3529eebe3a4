/**
 * Push notifications and the app without a connection, in a real Chromium. Its own push service can't be reached from here: the
 * browser gets a subscription at a local one, which opens what Intray's engine sends, and hands it to the service worker.
 */
import type { BrowserContext, CDPSession, Page } from "@playwright/test";
import { type PushedMessage, type PushService, startPushService } from "../test/servers/push-service.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { newMember, newOwner } from "./fixtures/organizations.ts";
import {
  apiOf,
  askAbout,
  ERAS,
  expect,
  invoiceServer,
  openContext,
  openRequest,
  readRequest,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

test.use({ serviceWorkers: "allow" });

const LONG = { timeout: 90_000 };
let service: PushService;
test.beforeAll(async () => {
  service = await startPushService();
});
test.afterAll(() => service.close());

/** Has the context's browser allow notifications, and subscribe at the local push service. */
async function subscribeLocally(context: BrowserContext): Promise<void> {
  await context.addInitScript((given) => {
    const { endpoint, ...keys } = given;
    const subscription = { endpoint, unsubscribe: async () => true, toJSON: () => ({ endpoint, keys }) };
    const subscribed = () => localStorage.getItem("test: subscribed") !== null;
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
    Notification.requestPermission = async () => "granted";
    Object.assign(PushManager.prototype, {
      subscribe: async () => {
        localStorage.setItem("test: subscribed", "yes");
        return subscription;
      },
      getSubscription: async () => (subscribed() ? subscription : null),
    });
  }, service.subscribe());
}

/**
 * A surface for notifications in the place of the system's: Chromium without a window has none, refuses every notification, and
 * ends the page's process at a badge.
 * Kept in a cache, since the browser ends a worker that has nothing to do. In words of the worker's own scope.
 */
const SURFACE = `(async () => {
  const cache = await caches.open("test: surface");
  const at = (tag) => "/" + encodeURIComponent(tag);
  navigator.setAppBadge = async () => {};
  registration.showNotification = (title, options) =>
    cache.put(at(options.tag), new Response(JSON.stringify({ title, ...options })));
  registration.getNotifications = async () => {
    const kept = await Promise.all((await cache.keys()).map(async (key) => (await cache.match(key)).json()));
    return kept.map((each) => ({ ...each, close: () => cache.delete(at(each.tag)) }));
  };
})()`;

/** Wakes the page's service worker, and evaluates in it. */
async function inWorker<T>(page: Page, expression: string): Promise<T> {
  let result: T | undefined;
  await expect(async () => {
    await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.postMessage({}));
    const worker = page.context().serviceWorkers().at(-1);
    if (!worker) throw new Error("The worker has not started yet");
    await worker.evaluate(SURFACE);
    result = await worker.evaluate(expression);
  }).toPass(LONG);
  return result as T;
}

/** Hands messages to the page's service worker: by default each that the push service has got since. Returns them. */
type Deliver = (messages?: PushedMessage[]) => Promise<PushedMessage[]>;

async function deliverer(page: Page): Promise<Deliver> {
  const browser: CDPSession = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    browser.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    });
  });
  await browser.send("ServiceWorker.enable");
  const registrationId = await registered;
  const { origin } = new URL(page.url());
  return async (messages = service.messages.splice(0)) => {
    await inWorker(page, "true");
    for (const { message } of messages)
      await browser.send("ServiceWorker.deliverPushMessage", {
        origin,
        registrationId,
        data: JSON.stringify(message),
      });
    return messages;
  };
}

interface Shown {
  title: string;
  body: string;
  path: string;
}
const shown = (page: Page) =>
  inWorker<Shown[]>(
    page,
    `registration.getNotifications().then((all) => all.map(({ title, body, data }) => ({ title, body, path: data.path })))`,
  );

/** Presses the notification of this title. */
const press = (page: Page, title: string) =>
  inWorker(
    page,
    `registration.getNotifications().then((all) => {
      const notification = all.find((each) => each.title === ${JSON.stringify(title)});
      dispatchEvent(Object.assign(new Event("notificationclick"), { notification, waitUntil() {} }));
    })`,
  );

test("a browser shows what waits, opens the card from there, and closes it when it is decided; a test is its own word", async ({
  browser,
}) => {
  // An organization of their own, since counts are of all that waits there.
  const olav = await newOwner(browser, "Olav", "maine");
  const clara = await newMember(browser, "Clara", "maine", "approver");
  const server = { name: ERAS[0], url: `${invoiceServer()}/mcp` };
  expect((await apiOf(olav).write("POST", "/servers", server)).status()).toBe(201);
  await subscribeLocally(clara.context());
  await clara.goto("/settings/channels");
  const section = clara.getByRole("region", { name: "Devices" });
  await section.getByRole("button", { name: "Turn on in this browser" }).click();
  const row = section.getByRole("listitem");
  await expect(row.getByText("This browser")).toBeVisible(SOON);
  await checkAppearance(clara, "a device");
  const deliver = await deliverer(clara);

  await row.getByRole("button", { name: /^Send a test/ }).click();
  await expect(row.getByText(/^The push service took the test/)).toBeVisible(SOON);
  await expect(row.getByText(/^The device showed the test/)).toHaveCount(0);
  await deliver();
  await expect(row.getByText(/^The device showed the test/)).toBeVisible(SOON);
  expect((await shown(clara)).map(({ title }) => title)).toEqual(["Test: this device shows notifications"]);

  await clara.goto("/inbox");
  const { id, taskId } = await startInvoice(olav);
  const requestId = await openRequest(olav, taskId);
  const counted = async () => (await shown(clara)).find(({ title }) => /wait/.test(title));
  const told: PushedMessage[] = [];
  await expect(async () => {
    told.push(...(await deliver()));
    expect((await counted())?.title).toBe("1 request waits for you");
  }).toPass(LONG);
  expect(JSON.stringify(await shown(clara))).not.toContain(id);
  const before = await readRequest(clara, requestId);
  expect((await counted())?.path).toBe(`/inbox/${requestId}`);
  await press(clara, "1 request waits for you");
  await expect(clara).toHaveURL(new RegExp(`/inbox/${requestId}$`), SOON);
  expect(await readRequest(clara, requestId)).toEqual(before);

  // Pressed, so that it is gone; a push service that repeats itself does not bring it back.
  await expect.poll(counted).toBeUndefined();
  await deliver(told);
  expect(await counted()).toBeUndefined();

  const { questionHash } = before;
  const answer = { action: "accept", content: { value: "approve" }, questionHash };
  expect((await apiOf(olav).write("POST", `/input-requests/${requestId}/answer`, answer)).status()).toBe(202);
  await expect(async () => {
    const [message] = (await deliver()).slice(-1);
    expect(message?.message.app_badge).toBe("0");
  }).toPass(LONG);

  await clara.goto("/settings/channels");
  await row.getByRole("button", { name: /^Remove/ }).click();
  await clara.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(section.getByRole("button", { name: "Turn on in this browser" })).toBeVisible(SOON);
  expect(service.faults).toEqual([]);
  await clara.context().close();
});

test("without a connection the app says since when, shows what it has, and decides nothing; after signing out nothing is left", async ({
  browser,
  ola,
}) => {
  const { requestId } = await askAbout(ola, ola, { changes: { customer: "Offline <b>& Sons" } });
  const { message } = await readRequest(ola, requestId);
  // In a session of his own, which he ends.
  const context = await openContext(browser, { baseURL: process.env.E2E_URL ?? "" });
  const ben = await context.newPage();
  await ben.goto("/sign-in");
  await ben.getByRole("button", { name: /Ben/ }).click();
  await ben.waitForURL(/\/inbox/);
  await ben.evaluate(() => navigator.serviceWorker.ready);
  const kept = () =>
    ben.evaluate(async () => {
      const response = await caches.match("/waiting", { cacheName: "intray-private" });
      return response ? JSON.stringify(await response.json()) : null;
    });
  await expect.poll(kept, LONG).toContain(JSON.stringify(message).slice(1, 40));

  await ben.context().setOffline(true);
  await ben.goto(`/inbox/${requestId}`, { waitUntil: "commit" });
  await expect(ben.getByRole("heading", { name: "No connection" })).toBeVisible();
  await expect(ben.getByText(/Intray was last reached at/)).toBeVisible();
  await expect(ben.getByText(message.slice(0, 40)).first()).toBeVisible();
  await expect(ben.getByText(/^Read at/)).toBeVisible();
  await expect(ben.getByRole("button")).toHaveCount(0);
  expect(await ben.evaluate(() => document.scripts.length + document.forms.length)).toBe(0);
  for (const [width, colorScheme] of [
    [1440, "light"],
    [390, "dark"],
  ] as const) {
    await ben.setViewportSize({ width, height: 844 });
    await ben.emulateMedia({ colorScheme });
    const pictures = process.env.E2E_PICTURES;
    if (pictures) await ben.screenshot({ path: `${pictures}/no-connection-${colorScheme}.png` });
  }

  await ben.setViewportSize({ width: 1440, height: 900 });
  await ben.context().setOffline(false);
  await ben.getByRole("link", { name: "Try again" }).click();
  await expect(ben.getByRole("button", { name: "Approve" }).first()).toBeVisible(SOON);
  expect(await ben.evaluate(async () => (await caches.keys()).sort())).toEqual([
    "intray-own",
    "intray-private",
  ]);

  await ben.getByRole("button", { name: "Ben: account and appearance" }).click();
  await ben.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(ben).toHaveURL(/\/sign-in/);
  await expect.poll(kept).toBeNull();
  await ben.context().setOffline(true);
  await ben.goto("/inbox", { waitUntil: "commit" });
  await expect(ben.getByRole("heading", { name: "No connection" })).toBeVisible();
  await expect(ben.getByText(message.slice(0, 40))).toHaveCount(0);
  await ben.context().close();
});

test("that the network went is no word of when Intray was reached, where it was away before", async ({
  browser,
}) => {
  const context = await openContext(browser, { baseURL: process.env.E2E_URL ?? "" });
  const ben = await context.newPage();
  await ben.goto("/sign-in");
  await ben.getByRole("button", { name: /Ben/ }).click();
  await ben.waitForURL(/\/inbox/);
  const contact = () =>
    ben.evaluate(
      async () => (await (await caches.match("/contact", { cacheName: "intray-own" }))?.json()) ?? null,
    );
  await expect.poll(contact, LONG).not.toBeNull();
  await ben.route(/\/api\/v1\//, (route) => route.abort());
  await ben.getByRole("link", { name: "Tasks" }).first().click();
  await expect(ben.getByText(/^Intray can’t be reached/).first()).toBeVisible(SOON);
  const before = await contact();
  await context.setOffline(true);
  await ben.goto("/inbox", { waitUntil: "commit" });
  await expect(ben.getByRole("heading", { name: "No connection" })).toBeVisible();
  expect(await contact()).toEqual(before);
  await context.close();
});
