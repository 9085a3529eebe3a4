/** Sends lines to a destination. Each kind has its own proof that they arrived. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { NetworkError } from "../../base/network/address-rules.ts";
import type { Network } from "../../base/network/network.ts";
import type { SealedPlace } from "../../base/seal.ts";
import { signedHeaders } from "../webhooks/sign.ts";
import { s3SettingsSchema, syslogSettingsSchema } from "./audit-stream-schema.ts";
import { type Line, ndjson, syslogFrames } from "./lines.ts";
import { SYSLOG_LISTEN_MS } from "./tunables.ts";

export interface Destination {
  organizationId: string;
  id: string;
  kind: string;
  address: string;
  settings: unknown;
  /** The opened secret; null for syslog. */
  secret: string | null;
}

/** Lines to send. `name` is the same for the same lines at every attempt. */
export interface Parcel {
  name: string;
  lines: Line[];
}

export function secretPlace(organizationId: string, streamId: string): SealedPlace {
  return { organizationId, table: "audit_stream", row: streamId, column: "sealed_secret" };
}

/**
 * Requires https, or a host named by the operator, as webhooks do. Throws NetworkError. Called again at every
 * attempt, since the operator's list may change.
 */
export function requireHttps(network: Network, address: string): URL {
  const url = network.checkUrl(address);
  if (url.protocol !== "https:" && !network.isNamed(url)) throw new NetworkError("Only https");
  return url;
}

/** Splits `host:port`; the host may be an IPv6 address in brackets. */
function readSyslogAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(address.slice(colon + 1)) };
}

/**
 * Sends lines, and returns once the destination took them. Throws if it did not, or if nobody knows. `own`: the name
 * of this Intray for syslog.
 */
export async function send(
  network: Network,
  to: Destination,
  parcel: Parcel,
  own: string,
  timeoutMs: number,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  if (to.kind === "syslog") return sendSyslog(network, to, syslogFrames(parcel.lines, own), signal);
  const reply =
    to.kind === "s3"
      ? await putObject(network, to, parcel, signal)
      : await postWebhook(network, to, parcel, signal);
  await reply.body?.cancel();
  if (reply.status < 200 || reply.status > 299) throw new DeliveryFailure(`status_${reply.status}`);
}

/** A call in the form of our other webhooks (lib/outbound/webhooks), whose body is NDJSON. */
function postWebhook(network: Network, to: Destination, parcel: Parcel, signal: AbortSignal) {
  const body = ndjson(parcel.lines);
  const headers = signedHeaders(`${to.id}-${parcel.name}`, body, [to.secret ?? ""], Date.now());
  return network.fetch(requireHttps(network, to.address), {
    method: "POST",
    headers: { ...headers, "content-type": "application/x-ndjson" },
    body,
    signal,
  });
}

/** An object of its own for each parcel, so that a bucket whose objects are locked takes them all. */
async function putObject(network: Network, to: Destination, parcel: Parcel, signal: AbortSignal) {
  const { bucket, region, prefix, accessKeyId } = s3SettingsSchema.parse(to.settings);
  const base = requireHttps(network, to.address);
  const body = ndjson(parcel.lines);
  const digest = (algorithm: string) => createHash(algorithm).update(body);
  const key = `${prefix}${to.organizationId}/${parcel.name}.ndjson`;
  const signer = new AwsV4Signer({
    method: "PUT",
    url: `${base.origin}${base.pathname.replace(/\/$/, "")}/${bucket}/${key}`,
    headers: {
      "content-type": "application/x-ndjson",
      // A bucket with object lock takes no object without it.
      "content-md5": digest("md5").digest("base64"),
      "x-amz-content-sha256": digest("sha256").digest("hex"),
    },
    body,
    accessKeyId,
    secretAccessKey: to.secret ?? "",
    service: "s3",
    region,
  });
  const { url, headers } = await signer.sign();
  return network.fetch(url, { method: "PUT", headers: Object.fromEntries(headers), body, signal });
}

/**
 * Syslog has no acknowledgement. What shows that a server read all is that it keeps the connection open until Intray
 * ends it, and then ends its side without an error: a server that dies or closes with bytes unread does not.
 */
async function sendSyslog(
  network: Network,
  to: Destination,
  frames: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const { ca } = syslogSettingsSchema.parse(to.settings);
  const socket = await network.connectTls({ ...readSyslogAddress(to.address), ca }, signal);
  const abort = () => socket.destroy(signal.reason as Error);
  try {
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    await new Promise<void>((resolve, reject) => {
      let isEnding = false;
      socket.on("error", reject);
      socket.on("end", () => isEnding || reject(new DeliveryFailure("closed_early")));
      socket.on("close", (hadError) =>
        isEnding && !hadError ? resolve() : reject(new DeliveryFailure("closed_early")),
      );
      // What a server says is not read, but its end is.
      socket.resume();
      socket.write(frames, async () => {
        await sleep(SYSLOG_LISTEN_MS);
        isEnding = true;
        socket.end();
      });
    });
  } finally {
    signal.removeEventListener("abort", abort);
    socket.destroy();
  }
}

/** A failed attempt, by its code (`failureSchema`). The other side's words are not kept, since they may hold anything. */
class DeliveryFailure extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.name = "DeliveryFailure";
    this.code = code;
  }
}

const UNTRUSTED = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "INVALID_CA",
  "CERT_SIGNATURE_FAILURE",
]);

/** Returns the code of an error of a destination. */
export function failureOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as NodeJS.ErrnoException;
    if (each instanceof DeliveryFailure) return each.code;
    if (each instanceof NetworkError) return "address_not_allowed";
    if (each.name === "TimeoutError" || code === "UND_ERR_CONNECT_TIMEOUT") return "timeout";
    if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "certificate_name";
    if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return "certificate_expired";
    if (code !== undefined && UNTRUSTED.has(code)) return "certificate_untrusted";
    if (code === "ENOTFOUND") return "name_unknown";
  }
  return "unreachable";
}
