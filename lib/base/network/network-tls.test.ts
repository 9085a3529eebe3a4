/** Calls over TLS reach nobody who cannot prove the name, and none by a version that is broken. */
import type { AddressInfo } from "node:net";
import { createServer, type Server, type TlsOptions } from "node:tls";
import { Agent, fetch as undiciFetch } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { createNetwork } from "./network.ts";

/** For `localhost`, signed by itself, of this test alone, until 2126. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgT9ZwNbs4Z+ZwbIfw
bRY/qk3eNloGc6LXxstNpltkLeOhRANCAASJ9sCIIDIj9Bx0ak2ZdDt73Mba63Wv
UYVyZp3eov5o+STyvDMr48w1qREEUoLUGnOXhLOoJWGr5/kUvagph0Dj
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlDCCATugAwIBAgIUNN4p5M61S1fpP6fmpon8wgK4J3owCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE1Mzk0NVoYDzIxMjYxMDMw
MTUzOTQ1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASJ9sCIIDIj9Bx0ak2ZdDt73Mba63WvUYVyZp3eov5o+STyvDMr48w1
qREEUoLUGnOXhLOoJWGr5/kUvagph0Djo2kwZzAdBgNVHQ4EFgQU4ajrfJIGJFy6
iCWkbAstY2UU2McwHwYDVR0jBBgwFoAU4ajrfJIGJFy6iCWkbAstY2UU2McwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
RwAwRAIgJVSya96YDQbDdp/TOOYh4qI4ioglc7NcNURsv2z0josCIHtsKYCHH7MI
wv9MWsq7DOKQaCDskYqyPi3CNP5HWBga
-----END CERTIFICATE-----
`;

let server: Server | undefined;
let heard = "";
afterEach(async () => {
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
  heard = "";
});

/** A server that notes what it hears and answers 204. */
async function listen(options: TlsOptions): Promise<{ host: string; url: string }> {
  const made = createServer({ key: KEY, cert: CERTIFICATE, ...options }, (socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      heard += data.toString();
      socket.end("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    });
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "localhost", resolve));
  const host = `localhost:${(made.address() as AddressInfo).port}`;
  return { host, url: `https://${host}/` };
}

/** Calls as Intray does, for a host that the operator allowed. Returns the code of what keeps the call back. */
async function call({ host, url }: { host: string; url: string }): Promise<string> {
  const network = createNetwork({ allowHosts: [host], denyPorts: [] });
  try {
    const reply = await network.fetch(url, {
      method: "POST",
      headers: { authorization: "Bearer t0ken" },
      body: "{}",
    });
    return String(reply.status);
  } catch (error) {
    return String((error as { cause?: { code?: string } }).cause?.code);
  } finally {
    await network.close();
  }
}

/** The same call by a client that trusts the certificate and takes old versions: the server itself is sound. */
async function callWithTrust(url: string, connect: object = {}): Promise<number> {
  const dispatcher = new Agent({ connect: { ca: CERTIFICATE, ...connect } });
  try {
    return (await undiciFetch(url, { dispatcher })).status;
  } finally {
    await dispatcher.destroy();
  }
}

describe("a server over TLS", () => {
  test("whose certificate nobody vouches for is not spoken to, also where its host is allowed", async () => {
    const there = await listen({});
    expect(await call(there)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
    expect(heard).toBe("");
    expect(await callWithTrust(there.url)).toBe(204);
  });

  test("that speaks TLS 1.1 alone is not spoken to", async () => {
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    const there = await listen(old);
    expect(await call(there)).toMatch(/^ERR_SSL_.*PROTOCOL/);
    expect(heard).toBe("");
    expect(await callWithTrust(there.url, old)).toBe(204);
  });
});
