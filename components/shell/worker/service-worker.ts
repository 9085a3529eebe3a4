/** What pages tell the service worker (public/sw.js), and this browser's push subscription. */

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import type { Devices, Subscription } from "@/lib/outbound/push/push-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { isReached } from "@/lib/web/client/connection.ts";

/** For whom a page is, as far as this browser's subscription and what the worker keeps go. */
interface Here {
  userId: string;
  organizationId: string;
}

/** Where the browser keeps which of its subscriptions it gave to which organization, and whose they are. */
const OWNER = "intray:push";
interface Owner {
  userId: string;
  /** By organization. */
  endpoints: Record<string, string>;
}

/** Null: the browser has no service workers, as in private windows and over http. */
async function register(): Promise<ServiceWorkerRegistration | null> {
  if (!("serviceWorker" in navigator)) return null;
  // Undefined where a test's browser refuses it.
  const registration: ServiceWorkerRegistration | undefined = await navigator.serviceWorker
    .register("/sw.js", { updateViaCache: "none" })
    .catch(() => undefined);
  return registration ?? null;
}

/** Called at each start of a page. Returns a function that stops. */
function startWorker(here: Here, open: (path: string) => void): () => void {
  const stop = new AbortController();
  const tell = (message: object) => navigator.serviceWorker?.controller?.postMessage(message);
  const isHere = { type: "here", member: `${here.userId}:${here.organizationId}` };
  void register().then(async (registration) => {
    if (!registration || stop.signal.aborted) return;
    await navigator.serviceWorker.ready;
    tell(isHere);
    await renew(registration, here);
  });
  navigator.serviceWorker?.addEventListener(
    "message",
    ({ data }: MessageEvent<{ type?: string; path?: string }>) => {
      if (data.type === "open" && data.path?.startsWith("/")) open(data.path);
    },
    stop,
  );
  // The worker takes over a page that was loaded before the worker was there.
  navigator.serviceWorker?.addEventListener("controllerchange", () => tell(isHere), stop);
  // Intray may have been away for long before the network went.
  window.addEventListener("offline", () => isReached() && tell({ type: "offline", at: Date.now() }), stop);
  // What somebody saw last is what they want to see without a connection.
  document.addEventListener("visibilitychange", () => document.hidden && tell(isHere), stop);
  return () => stop.abort();
}

/**
 * Tells Intray that this browser still has its subscription, or of a new one that took its place. A subscription of somebody
 * else's in this browser ends.
 */
async function renew(
  registration: ServiceWorkerRegistration,
  { userId, organizationId }: Here,
): Promise<void> {
  const owner = readOwner();
  if (!registration.pushManager) return;
  const subscription = await registration.pushManager.getSubscription();
  if (owner?.userId !== userId) {
    localStorage.removeItem(OWNER);
    await subscription?.unsubscribe();
    return;
  }
  const given = owner.endpoints[organizationId];
  if (given === undefined || Notification.permission !== "granted") return;
  if (subscription?.endpoint === given) await api.put("/api/v1/me/devices", { endpoint: given });
  else await give(registration, { userId, organizationId });
}

/** Asks the person, subscribes this browser, and makes it a device. Returns false if the person or the browser refuses. */
export async function addThisBrowser(here: Here): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const registration = await register();
  if (!registration) return false;
  await give(await navigator.serviceWorker.ready, here);
  return true;
}

async function give(
  registration: ServiceWorkerRegistration,
  { userId, organizationId }: Here,
): Promise<void> {
  const { publicKey } = await api.get<Devices>("/api/v1/me/devices");
  const subscription = await subscribe(registration, publicKey);
  const { endpoint, keys } = subscription.toJSON();
  const body = { endpoint, p256dh: keys?.p256dh, auth: keys?.auth } as Subscription;
  await api.post("/api/v1/me/devices", body);
  const owner = readOwner();
  const endpoints = owner?.userId === userId ? owner.endpoints : {};
  localStorage.setItem(
    OWNER,
    JSON.stringify({ userId, endpoints: { ...endpoints, [organizationId]: body.endpoint } } satisfies Owner),
  );
}

async function subscribe(
  registration: ServiceWorkerRegistration,
  publicKey: string,
): Promise<PushSubscription> {
  const wanted = { userVisibleOnly: true, applicationServerKey: publicKey };
  try {
    return await registration.pushManager.subscribe(wanted);
  } catch (error) {
    // Subscribed with another key, as where Intray was set up anew at this address.
    if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    return registration.pushManager.subscribe(wanted);
  }
}

/** After signing out: nothing of the member stays in this browser, and no message reaches it. */
export async function forgetMember(): Promise<void> {
  localStorage.removeItem(OWNER);
  const registration = await navigator.serviceWorker?.getRegistration();
  if (!registration) return;
  await caches.delete("intray-private");
  const notifications = await registration.getNotifications();
  for (const notification of notifications) notification.close();
  await (await registration.pushManager?.getSubscription())?.unsubscribe();
}

function readOwner(): Owner | null {
  const text = localStorage.getItem(OWNER);
  return text === null ? null : JSON.parse(text);
}

/** Why this browser can't be a device; null: it can. */
export function whyNoDevice(): "insecure" | "home_screen" | "unsupported" | "denied" | null {
  if (!window.isSecureContext) return "insecure";
  const isApple = /iPhone|iPad/.test(navigator.userAgent);
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return isApple ? "home_screen" : "unsupported";
  return Notification.permission === "denied" ? "denied" : null;
}

/** Starts the service worker for the signed-in member. Shows nothing. */
export function Worker() {
  const { user, organization } = useMe();
  const router = useRouter();
  const here = `${user.id}:${organization.id}`;
  useEffect(() => {
    const [userId = "", organizationId = ""] = here.split(":");
    return startWorker({ userId, organizationId }, (path) => router.push(path));
  }, [here, router]);
  return null;
}
