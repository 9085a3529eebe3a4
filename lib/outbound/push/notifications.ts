/**
 * The notifications that a device has to show, and the message that says so. Pure. Each message has the device's whole state: a
 * message that replaces an undelivered one, or comes twice, leaves the device as it has to be.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { plural } from "../../text/labels.ts";
import { visibleLine } from "../mail/compose.ts";

/** Something that the member is told of: one notification on a device, replaced as it moves. */
export interface Matter {
  id: string;
  /** One for each reason to tell of it; a new one is news. */
  keys: string[];
  /** Waits for the member's decision. */
  isRequest: boolean;
  path: string;
  title: string;
  body: string;
  /** Changes with the body, and tells nothing of it. */
  revision: string;
}

/** What the device shows, without any text of it. `alertedAt`: when the device last made a sound, in ms. */
export const shownSchema = z.object({
  version: z.number().int(),
  keys: z.array(z.string()),
  alertedAt: z.number().optional(),
  items: z.array(
    z.object({ tag: z.string(), digest: z.string(), since: z.number().int(), alert: z.boolean() }),
  ),
});
export type Shown = z.infer<typeof shownSchema>;

export interface Item {
  tag: string;
  title: string;
  body: string;
  path: string;
  /** The version that changed it: a device that has handled that version shows no such notification again. */
  since: number;
  alert: boolean;
}

/** With more matters than this, a device shows their count alone. All have to fit into 4 kB, encrypted. */
export const MOST_SHOWN = 4;
/** Bytes of a body, which may be a question's text. */
export const BODY_BYTES = 400;
/** Bytes of a title, which may have a name. */
const TITLE_BYTES = 160;
/** Between two sounds of a device; what changes meanwhile changes silently. */
const ALERT_BETWEEN_MS = 30_000;
/** The tag of the one notification that counts. */
const COUNTS = "counts";

/** Returns the device's next state. `withText`: matters are shown one by one. `next` is `shown` itself if nothing changes. */
export function compose(
  shown: Shown,
  matters: Matter[],
  { withText, now }: { withText: boolean; now: number },
): { next: Shown; items: Item[] } {
  const isNews = ({ keys }: Matter) => keys.some((key) => !shown.keys.includes(key));
  const mayAlert = now - (shown.alertedAt ?? 0) >= ALERT_BETWEEN_MS;
  const wanted =
    matters.length === 0
      ? []
      : withText && matters.length <= MOST_SHOWN
        ? matters.map((matter) => ({ ...matter, tag: matter.id, isNews: isNews(matter) }))
        : [{ ...counted(matters), tag: COUNTS, isNews: matters.some(isNews) }];
  // A database that was restored, or failed over, may have lost versions that the device has handled: time has not gone back.
  const version = Math.max(shown.version + 1, now);
  const items = wanted.map(({ tag, body, path, revision, isNews: fresh, ...matter }) => {
    const title = cutBytes(matter.title, TITLE_BYTES);
    const digest = digestOf(title, path, revision);
    const before = shown.items.find((item) => item.tag === tag && item.digest === digest);
    const isSame = before !== undefined && !fresh;
    return {
      tag,
      title,
      body,
      path,
      digest,
      ...(isSame ? before : { since: version, alert: fresh && mayAlert }),
    };
  });
  const keys = matters.flatMap((matter) => matter.keys);
  const isSame =
    items.length === shown.items.length &&
    items.every(({ since }) => since !== version) &&
    keys.every((key) => shown.keys.includes(key));
  // Keys that went without a trace on the device are forgotten with the next message.
  if (isSame) return { next: shown, items: items.map(toItem) };
  const alerts = items.some(({ since, alert }) => since === version && alert);
  return {
    next: {
      version,
      keys,
      ...(alerts ? { alertedAt: now } : shown.alertedAt !== undefined && { alertedAt: shown.alertedAt }),
      items: items.map(({ tag, digest, since, alert }) => ({ tag, digest, since, alert })),
    },
    items: items.map(toItem),
  };
}

const toItem = ({ tag, title, body, path, since, alert }: Item): Item => ({
  tag,
  title,
  body,
  path,
  since,
  alert,
});

/** Tells how many there are, and nothing of them. */
function counted(matters: Matter[]): Pick<Matter, "title" | "body" | "path" | "revision"> {
  const requests = matters.filter(({ isRequest }) => isRequest).length;
  const others = matters.length - requests;
  const [only] = matters;
  const path = matters.length === 1 && only ? only.path : others === 0 ? "/inbox" : "/notices";
  return { title: countWords(requests, others), body: "", path, revision: "" };
}

export function countWords(requests: number, others: number): string {
  const waiting =
    requests > 0 && `${plural(requests, "request")} ${requests === 1 ? "waits" : "wait"} for you`;
  const more = others > 0 && plural(others, waiting ? "other notification" : "notification");
  return [waiting, more].filter(Boolean).join(", and ");
}

function digestOf(...texts: string[]): string {
  return createHash("sha256").update(texts.join("\0")).digest("base64url").slice(0, 22);
}

/** Names a reason to tell, shortly: a device's state has up to a hundred. */
export function keyOf(cause: string, subject: string): string {
  return digestOf(cause, subject).slice(0, 12);
}

/** Characters of a text that are read for a body: a question may have megabytes. */
const READ_CHARACTERS = 10_000;

/** The beginning of a text, as a notification shows it. */
export function bodyOf(text: string): string {
  const read = visibleLine(text.slice(0, READ_CHARACTERS));
  return cutBytes(text.length > READ_CHARACTERS ? `${read}…` : read, BODY_BYTES);
}

/** Cuts a text so that it has at most `bytes` bytes as JSON. */
export function cutBytes(text: string, bytes: number): string {
  if (jsonBytes(text) <= bytes) return text;
  let cut = "";
  let size = jsonBytes("…");
  for (const character of text) {
    size += jsonBytes(character) - 2;
    if (size > bytes) break;
    cut += character;
  }
  return `${cut}…`;
}

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text));

/**
 * The message: the whole state for our service worker (public/sw.js), inside of a declarative push message, which browsers show
 * by themselves if the worker does not (https://www.w3.org/TR/push-api/#declarative-push-message).
 */
export function messageOf(
  { deviceId, version, items, count, testId }: DeviceState,
  appUrl: string,
): Record<string, unknown> {
  const newest = items.find((item) => item.since === version) ?? items[0];
  const { title, body, path } = testId !== null ? TEST : (newest ?? NOTHING);
  return {
    web_push: 8030,
    notification: {
      title,
      body,
      tag: `${deviceId} ${testId !== null ? "test" : (newest?.tag ?? COUNTS)}`,
      navigate: appUrl + path,
      silent: testId === null && !(newest?.since === version && newest.alert),
      lang: "en",
      dir: "ltr",
      data: { deviceId, version, items, count, testId },
    },
    app_badge: String(count),
    mutable: true,
  };
}

interface DeviceState {
  deviceId: string;
  version: number;
  items: Item[];
  /** For the badge on the app's icon: requests that wait. */
  count: number;
  testId: string | null;
}

/** Not that nothing waits: a member may have read a notice, and not decided yet. */
const NOTHING = { title: "No new notifications", body: "", path: "/inbox" };
const TEST = { title: "Test: this device shows notifications", body: "", path: "/settings/channels" };
