/**
 * A push service with the browsers behind it, on this machine. It checks what RFC 8030 and RFC 8292 ask of a sender, and opens
 * messages as a browser does, by the text of RFC 8188 and RFC 8291.
 */
import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  type ECDH,
  randomBytes,
  verify,
} from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Subscription } from "../../lib/outbound/push/push-schema.ts";

export interface PushedMessage {
  endpoint: string;
  topic: string | null;
  urgency: string | null;
  ttl: number;
  /** The claims of VAPID's token, whose signature was checked. */
  claims: { aud: string; exp: number; sub: string };
  /** The application server's public key. */
  key: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  message: any;
}

export interface PushService {
  hostAndPort: string;
  messages: PushedMessage[];
  /** The status of its answers; null: it never answers, though it has the message. */
  status: number | null;
  retryAfter: string | null;
  /** What was wrong with a call, in words of the RFCs. */
  faults: string[];
  /** Subscribes a browser. */
  subscribe(): Subscription;
  close(): Promise<void>;
}

interface Browser {
  keys: ECDH;
  auth: Buffer;
}

export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>();
  const server = createServer((request, response) => {
    receive(request, response).catch((error: Error) => {
      service.faults.push(error.message);
      response.writeHead(400).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hostAndPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const endpoint = `http://${hostAndPort}${request.url}`;
    const browser = browsers.get(endpoint);
    if (!browser || request.method !== "POST") return void response.writeHead(404).end();
    const { headers } = request;
    const one = (name: string) =>
      z
        .string()
        .nullable()
        .parse(headers[name] ?? null);
    const ttl = one("ttl");
    if (ttl === null || !/^\d+$/.test(ttl)) throw new Error("RFC 8030, 5.2: TTL is missing");
    if (one("content-encoding") !== "aes128gcm") throw new Error("RFC 8291, 4: aes128gcm is missing");
    const topic = one("topic");
    if (topic !== null && !/^[\w-]{1,32}$/.test(topic)) throw new Error("RFC 8030, 5.4: a bad topic");
    const { claims, key } = checkVapid(one("authorization") ?? "", `https://${hostAndPort}`);
    const message = JSON.parse(openPush(Buffer.concat(chunks), browser.keys, browser.auth).toString());
    service.messages.push({
      endpoint,
      topic,
      urgency: one("urgency"),
      ttl: Number(ttl),
      claims,
      key,
      message,
    });
    if (service.status === null) return;
    response
      .writeHead(service.status, service.retryAfter === null ? {} : { "retry-after": service.retryAfter })
      .end("words of the push service");
  };
  const service: PushService = {
    hostAndPort,
    messages: [],
    status: 201,
    retryAfter: null,
    faults: [],
    subscribe() {
      const keys = createECDH("prime256v1");
      keys.generateKeys();
      const auth = randomBytes(16);
      const endpoint = `http://${hostAndPort}/push/${randomBytes(12).toString("base64url")}`;
      browsers.set(endpoint, { keys, auth });
      return { endpoint, p256dh: keys.getPublicKey("base64url"), auth: auth.toString("base64url") };
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return service;
}

const sha256 = (key: Buffer, ...parts: (Buffer | string)[]) =>
  createHmac("sha256", key)
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();

/** Opens a message of one record: RFC 8291, 3.4, and RFC 8188, 2. Throws if anything is wrong with it. */
export function openPush(body: Buffer, keys: ECDH, auth: Buffer): Buffer {
  const [salt, recordSize, keyLength] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)];
  const sender = body.subarray(21, 21 + keyLength);
  const record = body.subarray(21 + keyLength);
  if (body.length > 4096) throw new Error("RFC 8030, 7.2: more than 4096 bytes");
  if (record.length > recordSize) throw new Error("RFC 8291, 4: more than one record");
  const shared = keys.computeSecret(sender);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.getPublicKey(), sender, Buffer.from([1])]);
  const secret = sha256(
    sha256(salt, sha256(sha256(auth, shared), info)),
    "Content-Encoding: aes128gcm\0\x01",
  );
  const nonce = sha256(sha256(salt, sha256(sha256(auth, shared), info)), "Content-Encoding: nonce\0\x01");
  const decipher = createDecipheriv("aes-128-gcm", secret.subarray(0, 16), nonce.subarray(0, 12));
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const delimiter = padded.findLastIndex((byte) => byte !== 0);
  if (padded[delimiter] !== 2) throw new Error("RFC 8188, 2: no delimiter of the last record");
  return padded.subarray(0, delimiter);
}

/** Checks the sender's token: RFC 8292, 2 and 3. */
function checkVapid(header: string, origin: string): Pick<PushedMessage, "claims" | "key"> {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header) ?? [];
  const [head = "", claimed = "", signature = ""] = token.split(".");
  const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  if (decoded(head).alg !== "ES256") throw new Error("RFC 8292, 2: not ES256");
  const point = Buffer.from(key, "base64url");
  const jwk = {
    ...{ kty: "EC", crv: "P-256" },
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claimed}`),
    { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) throw new Error("RFC 8292, 2: the signature is wrong");
  const claims = z.object({ aud: z.string(), exp: z.number(), sub: z.string() }).parse(decoded(claimed));
  const leftSeconds = claims.exp - Date.now() / 1000;
  if (claims.aud !== origin) throw new Error(`RFC 8292, 2: the audience is ${claims.aud}`);
  if (leftSeconds <= 0 || leftSeconds > 24 * 3600) throw new Error("RFC 8292, 2: expires now or after a day");
  if (!/^(mailto:|https:)/.test(claims.sub)) throw new Error("RFC 8292, 2.1: a contact is missing");
  return { claims, key };
}
