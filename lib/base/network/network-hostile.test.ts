/** Tests the network against DNS rebinding and hostile servers. */
import type { lookup } from "node:dns";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inScope, scope } from "../process/scope.ts";
import { NetworkError } from "./address-rules.ts";
import { guardedLookup, type NameFailure } from "./guarded-lookup.ts";
import { createNetwork, type Network } from "./network.ts";

describe("names", () => {
  const [acme, evil] = [startCounting("127.0.0.1"), startCounting("127.0.0.2")];
  beforeAll(async () => {
    await acme.listen(0);
    // The same port, so that the address alone tells them apart.
    await evil.listen(acme.port());
  });
  afterAll(() => Promise.all([acme.close(), evil.close()]));

  /** Returns a resolver that gives these answers one by one, then repeats the last. */
  function resolving(...answers: string[][]) {
    let asked = 0;
    const resolve = ((_name: string, _options: object, callback: (error: null, all: object[]) => void) => {
      const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    }) as unknown as typeof lookup;
    return { resolve, asked: () => asked };
  }
  /** As the operator is told; a caller sees a name that does not exist. */
  const told: NameFailure[] = [];
  beforeEach(() => {
    told.length = 0;
  });
  const onNameFailed = (failure: NameFailure) => told.push(failure);
  const networkOf = (resolve: typeof lookup) =>
    createNetwork({ allowHosts: [`127.0.0.1:${acme.port()}`], denyPorts: [], resolve, onNameFailed });
  const expectRefused = async (asked: Promise<unknown>, what?: string) => {
    const error = await asked.then(() => null).catch((failure: Error) => failure.cause ?? failure);
    expect(error, what).toMatchObject({ code: "ENOTFOUND" });
    expect(error, what).not.toBeInstanceOf(NetworkError);
  };

  it("that lead to a private address are refused, whatever else they lead to", async () => {
    const mixed = [
      ["127.0.0.2"],
      ["8.8.8.8", "127.0.0.2"],
      ["2606:4700::1111", "::1"],
      ["127.0.0.1", "169.254.169.254"],
      ["::ffff:127.0.0.2"],
      ["64:ff9b::7f00:2"],
    ];
    await Promise.all(
      mixed.map(async (addresses) => {
        const network = networkOf(resolving(addresses).resolve);
        const url = `http://x.example:${acme.port()}/`;
        await Promise.all([
          expectRefused(network.fetch(url), addresses.join()),
          expectRefused(network.request(url), addresses.join()),
        ]);
        await network.close();
      }),
    );
    expect(new Set(told.map(({ why }) => why))).toEqual(new Set(["not_allowed"]));
    expect([acme.seen(), evil.seen()]).toEqual([0, 0]);
  });

  it("are asked for once a connection, and what was judged is what is connected to", async () => {
    // Judged at another moment than used, the second answer would be the one that is connected to.
    const { resolve, asked } = resolving(["127.0.0.1"], ["127.0.0.2"]);
    const network = networkOf(resolve);
    const url = `http://x.example:${acme.port()}/`;
    expect(await (await network.fetch(url)).text()).toBe("hello");
    expect([asked(), acme.seen(), evil.seen()]).toEqual([1, 1, 0]);
    // The server ended the connection, so that the next call needs another.
    await expectRefused(network.fetch(url));
    expect([asked(), evil.seen(), told[0]?.why]).toEqual([2, 0, "not_allowed"]);
    await network.close();
  });

  it("are asked for once at a time, however many connections wait, each in its own scope", async () => {
    const asked: ((error: null, all: object[]) => void)[] = [];
    const resolve = ((_name: string, _options: object, found: (typeof asked)[number]) =>
      asked.push(found)) as unknown as typeof lookup;
    const find = guardedLookup(443, () => true, { resolve });
    const begin = (requestId: string) =>
      inScope(
        { requestId, trace: null },
        () =>
          new Promise((end) =>
            find("x.example", { all: true }, (_, found) => end([scope().requestId, found])),
          ),
      );
    const calls = Array.from({ length: 40 }, (_, n) => `call ${n}`);
    const found = calls.map(begin);
    expect(asked).toHaveLength(1);
    const addresses = [{ address: "192.0.2.1", family: 4 }];
    asked[0]?.(null, addresses);
    expect(await Promise.all(found)).toEqual(calls.map((call) => [call, addresses]));
    void begin("a later one");
    expect(asked).toHaveLength(2);
  });

  it("that nobody answers for leave a thread to those that were found", async () => {
    const asked: string[] = [];
    const resolve = ((name: string, _options: object, found: (error: null, all: object[]) => void) => {
      asked.push(name);
      if (name === "known.example") found(null, [{ address: "192.0.2.1", family: 4 }]);
    }) as unknown as typeof lookup;
    const find = guardedLookup(443, () => true, { resolve });
    const ask = (name: string) => new Promise((end) => find(name, { all: true }, (_, found) => end(found)));
    await ask("known.example");
    for (let n = 0; n < 500; n++) void ask(`${n}.silent.example`);
    expect(await ask("known.example")).toHaveLength(1);
    expect(asked.length).toBeLessThan(100);
  });

  it("are never covered by what is allowed for their address without its port, where the port is ours", async () => {
    const { resolve } = resolving(["127.0.0.1"]);
    const network = createNetwork({
      allowHosts: ["127.0.0.0/8", "x.example"],
      denyPorts: [acme.port()],
      resolve,
      onNameFailed,
    });
    await expectRefused(network.fetch(`http://x.example:${acme.port()}/`));
    expect(told).toMatchObject([{ host: "x.example", port: acme.port(), why: "not_allowed" }]);
    await network.close();
  });

  it("that are allowed do not lead to metadata services all the same", async () => {
    const { resolve } = resolving(["169.254.169.254"]);
    const allowHosts = ["x.example", "0.0.0.0/0"];
    const network = createNetwork({ allowHosts, denyPorts: [], resolve, onNameFailed });
    await expectRefused(network.fetch("http://x.example/latest/meta-data/"));
    expect(told).toMatchObject([{ why: "not_allowed" }]);
    await network.close();
  });
});

describe("a server that means harm", () => {
  const MIB = 1024 * 1024;
  const inner = startCounting("127.0.0.2");
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    if (pathname === "/inside")
      response.writeHead(307, { location: `http://127.0.0.2:${inner.port()}/` }).end();
    else if (pathname === "/bomb")
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(200 * MIB)));
    else if (pathname === "/bombs")
      response
        .writeHead(200, { "content-encoding": "gzip, gzip" })
        .end(gzipSync(gzipSync(Buffer.alloc(200 * MIB))));
    else if (pathname === "/endless") {
      const more = () => void (response.writable && response.write(Buffer.alloc(MIB), more));
      more();
    } else if (pathname === "/dripping") {
      response.write("a");
      const drip = setInterval(() => response.write("a"), 50);
      response.on("close", () => clearInterval(drip));
    }
    // "/silent": never an answer
  });
  let url = "";
  let network: Network;
  beforeAll(async () => {
    await inner.listen(0);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    network = createNetwork({ allowHosts: [`127.0.0.1:${port}`], denyPorts: [] });
  });
  afterAll(async () => {
    await network.close();
    server.closeAllConnections();
    await Promise.all([new Promise((resolve) => server.close(resolve)), inner.close()]);
  });

  it("cannot send us on to an address within", async () => {
    for (const redirect of ["follow", "manual", "error"] as const) {
      const reply = await network.fetch(`${url}/inside`, { redirect });
      expect(reply.status).toBe(307);
      await expect(network.fetch(reply.headers.get("location") ?? "")).rejects.toThrow(NetworkError);
    }
    expect((await network.request(`${url}/inside`)).statusCode).toBe(307);
    expect(inner.seen()).toBe(0);
  });

  it.each(["/bomb", "/bombs", "/endless"])("cannot fill the memory by %s", async (path) => {
    const before = process.memoryUsage().rss;
    await expect((await network.fetch(url + path)).arrayBuffer()).rejects.toThrow("larger than");
    // Two hundred MiB came or were packed; a few times the cap of eight were held.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
  });

  it.each(["/silent", "/dripping"])("cannot hold a call beyond its own deadline by %s", async (path) => {
    const call = async () => (await network.fetch(url + path, { signal: AbortSignal.timeout(300) })).text();
    await expect(call()).rejects.toMatchObject({ name: "TimeoutError" });
  });
});

/** Returns a server that answers "hello", closes each connection, and counts requests. */
function startCounting(host: string) {
  let seen = 0;
  const server = createServer((_, response) => {
    seen++;
    response.setHeader("connection", "close").end("hello");
  });
  return {
    seen: () => seen,
    port: () => (server.address() as AddressInfo).port,
    listen: (port: number) => new Promise<void>((resolve) => server.listen(port, host, resolve)),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
