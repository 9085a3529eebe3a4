/** Calls that are answered without Next, on real sockets; e2e/calls.spec.ts compares them with Next's own answers. */
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { callServer, type Handlers } from "./call-server.ts";
import { endpoint, idParams, route } from "./route.ts";

const any = z.unknown();
const left = Promise.withResolvers<void>();
let loads = 0;

const HANDLERS: Record<string, Handlers> = {
  "/healthz": endpoint({
    GET: route({ auth: "none", uncounted: true, summary: "x", output: any }, async () => ({ status: "ok" })),
  }),
  "/api/v1/things": endpoint({
    GET: route(
      {
        auth: "none",
        uncounted: true,
        summary: "x",
        query: z.strictObject({ size: z.string() }),
        output: any,
      },
      async ({ query, params }) => ({ text: "ä".repeat(Number(query.size)), params: params ?? "none" }),
    ),
    POST: route(
      { auth: "none", uncounted: true, summary: "x", body: z.looseObject({}), output: any, status: 201 },
      async ({ body, reply }) => {
        reply.headers.append("set-cookie", "one=1; Path=/");
        reply.headers.append("set-cookie", "two=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT");
        return body;
      },
    ),
    DELETE: route({ auth: "none", uncounted: true, summary: "x" }, async () => undefined),
  }),
  "/api/v1/things/[id]": endpoint({
    GET: route(
      { auth: "none", uncounted: true, summary: "x", params: idParams, output: any },
      async ({ params }) => params,
    ),
    PUT: route({ auth: "none", uncounted: true, summary: "x", output: any }, async ({ request }) => {
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      left.resolve();
      return {};
    }),
  }),
  "/api/v1/things/[id]/parts/[partId]": endpoint({
    GET: route(
      {
        auth: "none",
        uncounted: true,
        summary: "x",
        params: z.object({ id: z.string(), partId: z.string() }),
        output: any,
      },
      async ({ params }) => params,
    ),
  }),
  "/api/v1/things/export": endpoint({
    GET: route(
      { auth: "none", uncounted: true, summary: "x", mediaType: "application/x-ndjson" },
      async () => new Response(""),
    ),
  }),
};

let server: Server;
let port: number;

beforeAll(async () => {
  const serve = callServer([...Object.keys(HANDLERS), "/api/v1/broken"], async (page) => {
    loads++;
    await sleep(5);
    const handlers = HANDLERS[page];
    if (!handlers) throw new Error("it is broken");
    return handlers;
  });
  server = createServer((request, response) =>
    serve(request, response, () => {
      request.resume();
      response.end("Next");
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Reply {
  status: number;
  headers: IncomingMessage["headers"];
  bytes: Buffer;
}

function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: "127.0.0.1", method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const json = { "content-type": "application/json" };

describe("who answers", () => {
  test.each([
    ["GET", "/healthz"],
    ["GET", "/api/v1/things?size=1"],
    ["GET", "/api/v1/things/0198c0de-0000-7000-8000-000000000000"],
    ["GET", "/api/v1/things/x/parts/y"],
    // As in Next, whose parameter takes what no fixed name leads to.
    ["GET", "/api/v1/things/export/parts/y"],
    ["PATCH", "/api/v1/things"],
  ])("the handler: %s %s", async (method, path) => {
    expect(String((await ask(method, path)).bytes)).not.toBe("Next");
  });

  test.each([
    ["HEAD", "/healthz"],
    ["OPTIONS", "/healthz"],
    ["GET", "/"],
    ["GET", "/api/v1/nothing"],
    ["GET", "/api/v1/things/"],
    ["GET", "//api/v1/things"],
    ["GET", "/api//v1/things"],
    ["GET", "/api/v1/things/../things"],
    ["GET", "/api/v1/./things"],
    ["GET", "/api/v1/th%69ngs"],
    ["GET", "/api/v1/things/a%2Fb"],
    ["GET", "/API/v1/things"],
    ["GET", "/api/v1/things;x=1"],
    ["GET", "http://other.example/healthz"],
    ["GET", "/api/v1/things/export"],
    ["GET", "/api/v1/broken"],
    ["GET", "/__proto__"],
    ["GET", "/constructor"],
  ])("Next: %s %s", async (method, path) => {
    const { status, bytes } = await ask(method, path);
    expect(status).toBe(200);
    if (method !== "HEAD") expect(String(bytes)).toBe("Next");
  });

  test("a route is loaded at its first call, and once", async () => {
    await ask("GET", "/healthz");
    const before = loads;
    await Promise.all([ask("GET", "/healthz"), ask("GET", "/healthz")]);
    expect(loads).toBe(before);
  });
});

describe("the answer", () => {
  test("has the handler's status, headers and body, and its length", async () => {
    const { status, headers, bytes } = await ask("GET", "/healthz");
    expect(status).toBe(200);
    expect(JSON.parse(String(bytes))).toEqual({ status: "ok" });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(bytes.length),
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "content-security-policy":
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      vary: "Accept-Encoding",
    });
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("a route without parameters gets none, and one with them each by its name", async () => {
    expect(JSON.parse(String((await ask("GET", "/api/v1/things?size=1")).bytes))).toMatchObject({
      params: "none",
    });
    expect(JSON.parse(String((await ask("GET", "/api/v1/things/a~b/parts/c.d_e-f")).bytes))).toEqual({
      id: "a~b",
      partId: "c.d_e-f",
    });
  });

  test("sets every cookie in a line of its own", async () => {
    const { status, headers, bytes } = await ask("POST", "/api/v1/things", json, '{"a":1}');
    expect(status).toBe(201);
    expect(headers["set-cookie"]).toEqual(["one=1; Path=/", "two=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
    expect(JSON.parse(String(bytes))).toEqual({ a: 1 });
  });

  test("is without a body where there is none", async () => {
    const { status, headers, bytes } = await ask("DELETE", "/api/v1/things");
    expect(status).toBe(204);
    expect(bytes).toHaveLength(0);
    expect(headers["content-type"]).toBeUndefined();
  });

  test.each([
    ["gzip, deflate, br", 600, "gzip"],
    ["br;q=1.0, gzip;q=0.8, *;q=0.1", 600, "gzip"],
    ["*", 600, "gzip"],
    ["gzip;q=0", 600, undefined],
    ["gzip; q=0.000", 600, undefined],
    ["identity", 600, undefined],
    [undefined, 600, undefined],
    ["gzip", 20, undefined],
    ["gzip", 60_000, "gzip"],
  ])("for a caller who takes %s, of %i characters: %s", async (accepted, size, encoding) => {
    const { headers, bytes } = await ask("GET", `/api/v1/things?size=${size}`, {
      ...(accepted !== undefined && { "accept-encoding": accepted }),
    });
    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers["content-length"]).toBe(String(bytes.length));
    const text = encoding ? gunzipSync(bytes) : bytes;
    expect(JSON.parse(String(text)).text).toBe("ä".repeat(size));
  });
});

describe("the request", () => {
  test("is refused with a problem, and the connection goes on", async () => {
    const bad = await ask("POST", "/api/v1/things", json, "{");
    expect(bad.status).toBe(400);
    expect(JSON.parse(String(bad.bytes))).toMatchObject({ code: "invalid_json" });
    const odd = await ask("GET", "/api/v1/things?size=1&more=2&size=3");
    expect(odd.status).toBe(422);
  });

  test("two on one connection are answered in turn, though the first's body is never read", async () => {
    const body = "x".repeat(200_000);
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(
          `DELETE /api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        ),
      );
      let answer = "";
      socket.setEncoding("latin1").on("data", (chunk) => (answer += chunk));
      socket.on("error", reject).on("close", () => resolve(answer));
    });
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 204", "HTTP/1.1 200"]);
  });

  test("a body beyond the limit is refused by its stated length before it is read", async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(
          "POST /api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n{",
        ),
      );
      let text = "";
      socket.setEncoding("latin1").on("data", (chunk) => {
        text += chunk;
        if (text.includes("too_large")) socket.destroy();
      });
      socket.on("error", reject).on("close", () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test.each([
    ["with its head", 0, 20],
    ["after its head, in pieces", 3, 20],
    ["larger than is taken at once", 0, 60_000],
  ])("has its body, %s", async (_, pieces, size) => {
    const body = JSON.stringify({ text: "ä".repeat(size) });
    const head = `POST /api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", async () => {
        socket.setNoDelay(true);
        if (pieces === 0) return socket.write(head + body);
        socket.write(head);
        const bytes = Buffer.from(body);
        for (let n = 0; n < pieces; n++) {
          await sleep(20);
          socket.write(bytes.subarray((bytes.length * n) / pieces, (bytes.length * (n + 1)) / pieces));
        }
      });
      let answer = "";
      socket.setEncoding("utf8").on("data", (chunk) => (answer += chunk));
      socket.on("error", reject).on("close", () => resolve(answer));
    });
    expect(text).toMatch(/^HTTP\/1\.1 201 /);
    expect(text.split("\r\n\r\n")[1]).toBe(body);
  });

  test("tells its handler that the caller has left", async () => {
    const sent = httpRequest({ port, host: "127.0.0.1", method: "PUT", path: "/api/v1/things/x" });
    sent.on("error", () => undefined).end();
    await new Promise<void>((resolve) => sent.once("finish", resolve));
    // Long enough for the route to be loaded; what follows waits for as long as it takes.
    await sleep(50);
    sent.destroy();
    await left.promise;
  });
});
