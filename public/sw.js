/**
 * The service worker. It shows push notifications, leads from them into the app, and answers for a page while there is no
 * connection. It decides nothing, and keeps of the server's data only the list that the offline page shows.
 */

/** What is kept: the newest version of each device's state, and when Intray was last reached. */
const OWN = "intray-own";
/** The requests that waited for the member, and for whom they were read. */
const PRIVATE = "intray-private";
/** As long as a session that nobody uses: after that the member would have to sign in to see the list. */
const KEPT_MS = 2 * 3600_000;
/** Where nothing answers, a browser would wait for minutes. */
const ANSWER_MS = 10_000;
const LISTED = 50;
const MESSAGE_CHARACTERS = 200;
/** Pages. Everything else that a browser navigates to is a file, or passes through. */
const NO_PAGE = /^\/(api|_next|oauth|\.well-known|samples)\//;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      // The page is asked for while the worker starts.
      await self.registration.navigationPreload?.enable();
      await self.clients.claim();
    })(),
  ),
);

self.addEventListener("fetch", (event) => {
  const { mode, method, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (mode !== "navigate" || method !== "GET" || origin !== self.location.origin || NO_PAGE.test(pathname))
    return;
  event.respondWith(pageOrOffline(event, pathname));
});

async function pageOrOffline(event, pathname) {
  try {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    event.waitUntil(reached(response));
    // Whoever comes here is not signed in: by signing out, or because their session has ended.
    if (pathname === "/sign-in") event.waitUntil(forgetMember());
    return response;
  } catch {
    return offlinePage();
  }
}

/** Messages of the app's pages (components/shell/worker/service-worker.ts). */
self.addEventListener("message", (event) => {
  const { type, ...given } = event.data ?? {};
  if (type === "here") event.waitUntil(memberIsHere(given));
  else if (type === "offline") event.waitUntil(write(OWN, "/contact", { at: given.at }));
});

/** `member`: for whom the pages are, `user:organization`. */
async function memberIsHere({ member }) {
  const kept = await read(PRIVATE, "/member");
  if (kept !== null && kept !== member) await forgetMember();
  await write(PRIVATE, "/member", member);
  await readWaiting();
}

async function forgetMember() {
  await caches.delete(PRIVATE);
  // Those that only count say nothing of anybody.
  for (const notification of await self.registration.getNotifications())
    if (notification.body !== "") notification.close();
}

/** Reads what waits for the member, without counting as a use of the session. */
async function readWaiting() {
  const member = await read(PRIVATE, "/member");
  if (member === null) return;
  const response = await fetch(`/api/v1/input-requests?state=open&waiting=me&limit=${LISTED}`, {
    headers: {
      accept: "application/json",
      "x-intray-unattended": "1",
      // Refused where the session works in another organization by now, or looks as another member.
      "x-intray-organization": member.split(":")[1],
    },
    cache: "no-store",
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  if (response === null) return;
  await reached(response);
  if (response.status === 401 || response.status === 403) return forgetMember();
  if (!response.ok) return;
  const { items, nextCursor } = await response.json();
  // Signed out meanwhile.
  if ((await read(PRIVATE, "/member")) !== member) return;
  await write(PRIVATE, "/waiting", {
    member,
    at: Date.now(),
    hasMore: nextCursor !== null,
    requests: items.map(({ message, tool, server, createdAt }) => ({
      message: message.slice(0, MESSAGE_CHARACTERS),
      from: [tool, server.name].join(" on "),
      createdAt,
    })),
  });
}

let lastReachedAt = 0;

/** Notes that Intray was reached, at most once in ten seconds. For an Intray that is away, a proxy answers 502 to 504. */
async function reached({ status }) {
  const at = Date.now();
  if (status >= 500) return;
  if (at - lastReachedAt < 10_000) return;
  lastReachedAt = at;
  await write(OWN, "/contact", { at });
}

/* Push messages */

let turn = Promise.resolve();

self.addEventListener("push", (event) => {
  // Of a declarative message, a browser gives the notification that it would show.
  const { data } = event.notification ?? event.data?.json()?.notification ?? {};
  if (!data) return;
  // One after the other, so that an older state never comes after a newer one.
  const shown = turn.then(() => show(data));
  turn = shown.catch((error) => console.error(error));
  // Not within the turn: where Intray does not answer, the next message must not wait for it.
  event.waitUntil(shown.then(() => Promise.all([data.testId && tellShown(data), readWaiting()])));
});

async function show(data) {
  if (data.testId) await showTest(data);
  const known = (await read(OWN, `/device/${data.deviceId}`)) ?? 0;
  // A message that came twice, or one that a newer one has overtaken.
  if (data.version <= known) return;
  await showState(data, known);
  await write(OWN, `/device/${data.deviceId}`, data.version);
}

async function showState({ deviceId, items, count }, known) {
  const tagOf = (item) => `${deviceId} ${item.tag}`;
  // A test is no part of the state: its reader closes it.
  const tags = [...items.map(tagOf), testTag(deviceId)];
  for (const notification of await self.registration.getNotifications())
    if (notification.tag.startsWith(`${deviceId} `) && !tags.includes(notification.tag)) notification.close();
  for (const item of items)
    if (item.since > known)
      await self.registration.showNotification(item.title, {
        ...look(item.body, tagOf(item), item.path),
        silent: !item.alert,
        renotify: item.alert,
      });
  await self.navigator.setAppBadge?.(count).catch(() => undefined);
}

async function showTest({ deviceId }) {
  await self.registration.showNotification("Test: this device shows notifications", {
    ...look("", testTag(deviceId), "/settings/channels"),
  });
}

/** Without a session nobody is told; the screen then says that the device has not answered. */
async function tellShown({ deviceId, testId }) {
  await fetch(`/api/v1/me/devices/${deviceId}/shown`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ testId }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => undefined);
}

const testTag = (deviceId) => `${deviceId} test`;

const look = (body, tag, path) => ({
  body,
  tag,
  lang: "en",
  icon: "/icon-192.png",
  badge: "/icon-maskable-192.png",
  data: { path },
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = event.notification.data?.path ?? "/inbox";
  event.waitUntil(open(path));
});

/** Focuses a tab that shows the page, else one that can go there, else opens a window. */
async function open(path) {
  const tabs = await self.clients.matchAll({ type: "window" });
  const pathOf = (tab) => new URL(tab.url).pathname;
  const there = tabs.find((tab) => pathOf(tab) === path);
  // A browser lets a worker focus a tab for a moment after a press; the tab goes there also where that is over.
  const focus = (tab) => tab.focus().catch(() => undefined);
  if (there) return focus(there);
  // A tab of the app goes by itself, and keeps what is typed in it.
  const near = tabs.find((tab) => /^\/(inbox|tasks|servers|overview|activity|notices)\b/.test(pathOf(tab)));
  if (!near) return self.clients.openWindow(path);
  await focus(near);
  near.postMessage({ type: "open", path });
}

/* The offline page. It has no script: it is asked for again by itself. */

async function offlinePage() {
  const contact = await read(OWN, "/contact");
  const waiting = await keptWaiting();
  const nonce = crypto.randomUUID();
  return new Response(offlineHtml({ since: contact?.at ?? null, waiting, nonce }), {
    status: 503,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
}

/** The list, if it is the member's and not too old. One that is not is deleted. */
async function keptWaiting() {
  const waiting = await read(PRIVATE, "/waiting");
  if (waiting === null) return null;
  const isTheirs = waiting.member === (await read(PRIVATE, "/member"));
  if (isTheirs && Date.now() - waiting.at < KEPT_MS) return waiting;
  const cache = await caches.open(PRIVATE);
  await cache.delete("/waiting");
  return null;
}

function offlineHtml({ since, waiting, nonce }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta http-equiv="refresh" content="15">
<title>No connection · Intray</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>No connection</h1>
<p>${since === null ? "" : `Intray was last reached ${time(since)}. `}Nothing can be decided until it is back. This page tries again by itself.</p>
<p><a href="">Try again</a></p>
${waiting === null ? "" : waitingHtml(waiting)}
</main>
</body>
</html>`;
}

function waitingHtml({ at, requests, hasMore }) {
  if (requests.length === 0) return `<h2>Nothing waited for you</h2><p class="muted">Read ${time(at)}.</p>`;
  const many = `${requests.length}${hasMore ? "+" : ""}`;
  const what = many === "1" ? "1 request waited" : `${many} requests waited`;
  return `<h2>${what} for you</h2>
<p class="muted">Read ${time(at)}. Some may be decided by now.</p>
<ul>${requests
    .map(
      ({ message, from, createdAt }) =>
        `<li><span>${html(message)}</span><span class="muted">${html(from)} · asked ${time(Date.parse(createdAt))}</span></li>`,
    )
    .join("")}</ul>`;
}

/** `at 16:02`, `on 19 Nov, 16:02` */
function time(at) {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  const words = new Intl.DateTimeFormat(self.navigator.language, {
    ...(isToday ? {} : { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
  }).format(at);
  return `${isToday ? "at" : "on"} <time datetime="${new Date(at).toISOString()}">${html(words)}</time>`;
}

const html = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The tokens of app/globals.css. */
const STYLE = `
:root { color-scheme: light dark; --bg: oklch(.985 .002 220); --panel: #fff; --line: oklch(.915 .005 220);
  --text: oklch(.23 .015 230); --muted: oklch(.47 .015 230); --accent: oklch(.50 .10 195) }
@media (prefers-color-scheme: dark) { :root { --bg: oklch(.175 .008 230); --panel: oklch(.205 .009 230);
  --line: oklch(.295 .011 230); --text: oklch(.94 .006 220); --muted: oklch(.74 .012 225); --accent: oklch(.74 .105 192) } }
body { margin: 0; background: var(--bg); color: var(--text); font: 14px/1.5 Inter, system-ui, sans-serif }
main { max-width: 40rem; margin: 0 auto; padding: max(2rem, env(safe-area-inset-top)) 1rem 2rem }
h1 { font-size: 20px; margin: 0 0 .5rem } h2 { font-size: 15px; margin: 2rem 0 .25rem } p { margin: 0 0 .75rem }
.muted { color: var(--muted); font-size: 13px }
a { color: var(--accent); display: inline-block; padding: .75rem 0; font-weight: 500 }
ul { list-style: none; margin: .75rem 0 0; padding: 0; border: 1px solid var(--line); border-radius: 8px; background: var(--panel) }
li { display: flex; flex-direction: column; gap: 2px; padding: .75rem 1rem; overflow-wrap: anywhere }
li + li { border-top: 1px solid var(--line) }`;

/* Small things to remember, as JSON in caches. */

async function read(name, key) {
  const found = await caches.match(key, { cacheName: name });
  return found ? found.json() : null;
}

async function write(name, key, value) {
  const cache = await caches.open(name);
  await cache.put(
    key,
    new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } }),
  );
}
