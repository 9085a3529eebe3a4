import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkOperatorUrl, NetworkError } from "./address-rules.ts";
import { type NameFailure, operatorLookup } from "./guarded-lookup.ts";
import { createNetwork, type NetworkOptions } from "./network.ts";

/** Hostile URLs: the 21 forms of a prototype's first test, and others that lead to the same addresses. */
const hostile: [what: string, url: string][] = [
  ["loopback", "http://127.0.0.1/"],
  ["a decimal host", "http://2130706433/"],
  ["a hexadecimal host", "http://0x7f000001/"],
  ["hexadecimal parts", "http://0x7f.0.0.0x1/"],
  ["an octal host", "http://0177.0.0.1/"],
  ["an octal number", "http://017700000001/"],
  ["a host of two parts", "http://127.1/"],
  ["a host of three parts", "http://127.0.1/"],
  ["a dot at the end", "http://127.0.0.1./"],
  ["another address of loopback", "http://127.255.255.254/"],
  ["a zero", "http://0/"],
  ["0.0.0.0", "http://0.0.0.0/"],
  ["the network of 0.0.0.0", "http://0.1.2.3/"],
  ["::", "http://[::]/"],
  ["::1", "http://[::1]/"],
  ["::1, written out", "http://[0:0:0:0:0:0:0:1]/"],
  ["IPv4 in the lowest bits of IPv6", "http://[::127.0.0.1]/"],
  ["IPv4-mapped IPv6", "http://[::ffff:127.0.0.1]/"],
  ["IPv4-mapped IPv6, in hexadecimal", "http://[::ffff:7f00:1]/"],
  ["IPv4-mapped metadata", "http://[::ffff:169.254.169.254]/"],
  ["IPv4-translated IPv6", "http://[::ffff:0:127.0.0.1]/"],
  ["NAT64", "http://[64:ff9b::7f00:1]/"],
  ["NAT64 of a network's own", "http://[64:ff9b:1::7f00:1]/"],
  ["6to4", "http://[2002:7f00:1::]/"],
  ["Teredo", "http://[2001:0:7f00:1::]/"],
  ["link-local IPv6", "http://[fe80::1]/"],
  ["site-local IPv6", "http://[fec0::1]/"],
  ["unique local IPv6", "http://[fd12:3456::1]/"],
  ["IPv6 multicast", "http://[ff02::1]/"],
  ["documentation's IPv6", "http://[2001:db8::1]/"],
  ["10/8", "http://10.0.0.1/"],
  ["172.16/12", "http://172.16.0.1/"],
  ["192.168/16", "http://192.168.1.1/"],
  ["CGNAT", "http://100.64.0.1/"],
  ["Alibaba's metadata", "http://100.100.100.200/"],
  ["Azure's metadata", "http://168.63.129.16/"],
  ["link-local metadata", "http://169.254.169.254/latest/meta-data/"],
  ["link-local metadata, in decimal", "http://2852039166/"],
  ["link-local metadata, in octal", "http://0251.0376.0251.0376/"],
  ["EC2's metadata over IPv6", "http://[fd00:ec2::254]/"],
  ["Oracle's metadata", "http://192.0.0.192/"],
  ["benchmarking", "http://198.18.0.1/"],
  ["multicast", "http://224.0.0.1/"],
  ["broadcast", "http://255.255.255.255/"],
  ["reserved", "http://240.0.0.1/"],
  ["digits of another script", "http://１２７.0.0.1/"],
  ["dots of another script", "http://127。0。0。1/"],
  ["circled digits", "http://①②⑦.⓪.⓪.①/"],
  ["digits in percent signs", "http://%31%32%37.0.0.1/"],
  ["backslashes", "http:\\\\127.0.0.1\\"],
  ["a tab within", "http://127.0\t.0.1/"],
  ["a name and a password", "http://user:pass@example.com/"],
  ["a name", "http://user@example.com/"],
  ["a host that looks like a name", "http://example.com@127.0.0.1/"],
  ["ftp", "ftp://example.com/"],
  ["a file", "file:///etc/passwd"],
  ["a script", "javascript:alert(1)"],
  ["data", "data:text/html,x"],
  ["gopher", "gopher://example.com/"],
  ["a socket's path", "unix:/var/run/docker.sock"],
  ["a scheme that wraps another", "jar:http://127.0.0.1/"],
  ["no URL", "not a url"],
];

const metadata = ["http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://100.100.100.200/"];

describe("addresses", () => {
  const network = createNetwork({ allowHosts: [], denyPorts: [] });
  afterAll(() => network.close());

  it.each(hostile)("refuses %s: %s", (_what, url) => {
    expect(() => network.checkUrl(url)).toThrow(NetworkError);
    expect(() => network.dispatcherFor(url)).toThrow(NetworkError);
  });

  it.each(["https://example.com/mcp", "http://8.8.8.8:8080/", "https://[2606:4700::1111]/"])(
    "takes %s",
    (url) => {
      expect(network.checkUrl(url).href).toBe(url);
    },
  );

  it("refuses what a name resolves to, as if there were no such name, and tells the operator alone", async () => {
    const told: NameFailure[] = [];
    const guarded = createNetwork({ allowHosts: [], denyPorts: [], onNameFailed: (one) => told.push(one) });
    const failures = [];
    for (const host of ["localhost", "unknown.invalid"]) {
      const began = performance.now();
      const asked = guarded.request(`http://${host}:8099/`).catch((error: Error) => error);
      const fetched = guarded.fetch(`http://${host}:8099/`).catch((error: Error) => error.cause);
      const sent = new Promise((resolve) =>
        guarded.send(
          new URL(`http://${host}:8099/`),
          { method: "POST", headers: {}, body: "{}", lane: "held" },
          {
            onHead: resolve,
            onData: resolve,
            onEnd: () => resolve("it ended"),
            onError: (error, wasSent) => resolve(Object.assign(error, { wasSent })),
          },
        ),
      );
      const errors = (await Promise.all([asked, fetched, sent])) as Error[];
      failures.push(
        errors.map((error) =>
          JSON.stringify({ ...error, name: error.name, message: error.message }).replaceAll(host, "it"),
        ),
      );
      // A timer may be early by less than the clock's step.
      expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    }
    await guarded.close();
    expect(failures[0]).toEqual(failures[1]);
    expect(failures[0]?.[0]).toContain("ENOTFOUND");
    expect(new Set(told.map(({ host, port, why }) => `${why} ${host}:${port}`))).toEqual(
      new Set(["not_allowed localhost:8099", "not_found unknown.invalid:8099"]),
    );
  });

  it("ends a failed lookup at the same beat, whether the resolver was quick or slow to know it", async () => {
    // A resolver that knows names inside at once, and asks others about the rest.
    const slow = ((
      name: string,
      _options: object,
      callback: (error: Error | null, found: object[]) => void,
    ) => {
      if (name === "db.inside") return callback(null, [{ address: "10.0.0.7", family: 4 }]);
      setTimeout(() => callback(Object.assign(new Error("no"), { code: "ENOTFOUND" }), []), 300);
    }) as unknown as NetworkOptions["resolve"];
    const guarded = createNetwork({ allowHosts: [], denyPorts: [], resolve: slow });
    const took = await Promise.all(
      ["db.inside", "no.inside"].map(async (host) => {
        const began = performance.now();
        await guarded.request(`http://${host}/`).catch(() => {});
        return performance.now() - began;
      }),
    );
    for (const ms of took) expect(ms).toBeGreaterThanOrEqual(990);
    await guarded.close();
  });

  it("guards the dispatcher itself, whatever is dispatched on it", async () => {
    const dispatcher = network.dispatcherFor("https://example.com/");
    await expect(
      dispatcher.request({ origin: "http://127.0.0.1:1", path: "/", method: "GET" }),
    ).rejects.toThrow(NetworkError);
  });

  it.each(metadata)("never reaches %s, even when allowed", (url) => {
    const open = createNetwork({ allowHosts: ["0.0.0.0/0", "::/0", new URL(url).host], denyPorts: [] });
    expect(() => open.checkUrl(url)).toThrow(NetworkError);
  });
});

describe("allowed hosts", () => {
  const cases: [entry: string, url: string, allowed: boolean][] = [
    ["10.0.0.0/8", "http://10.1.2.3:8080/", true],
    ["10.0.0.0/8", "http://11.1.2.3:8080/", true],
    ["10.0.0.0/8", "http://192.168.0.1/", false],
    ["10.0.0.0/8", "http://10.1.2.3:5432/", false],
    ["10.1.2.3", "http://10.1.2.3:5432/", false],
    ["10.1.2.3:5432", "http://10.1.2.3:5432/", true],
    ["127.0.0.1:7101", "http://127.0.0.1:7101/mcp", true],
    ["127.0.0.1:7101", "http://127.0.0.1:7102/mcp", false],
    ["127.0.0.1", "http://[::ffff:127.0.0.1]/", true],
    ["[::1]:7101", "http://[::1]:7101/", true],
    ["::1", "http://[::1]:7101/", true],
    ["fd00::/8", "http://[fd12::1]/", true],
    ["fd00::/8", "http://10.0.0.1/", false],
  ];
  it.each(cases)("%s for %s: %s", (entry, url, expected) => {
    const network = createNetwork({ allowHosts: [entry], denyPorts: [5432] });
    if (expected)
      expect(network.checkUrl(url).href).toBe(url.replace("[::ffff:127.0.0.1]", "[::ffff:7f00:1]"));
    else expect(() => network.checkUrl(url)).toThrow(NetworkError);
  });

  it.each(["", "http://x", "a b", "host:port", "1.2.3.4/99"])("stops at the entry %j", (entry) => {
    expect(() => createNetwork({ allowHosts: [entry], denyPorts: [] })).toThrow("neither a CIDR");
  });
});

describe("against a server", () => {
  const server = createServer((request, response) => {
    if (request.url === "/redirect") response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    else if (request.url === "/huge") response.end(Buffer.alloc(9 * 1024 * 1024));
    else response.end("hello");
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  it("reaches an allowed name, with and without its port in the entry", async () => {
    for (const entry of ["localhost", `localhost:${port}`]) {
      const network = createNetwork({ allowHosts: [entry], denyPorts: [] });
      const reply = await network.fetch(`http://localhost:${port}/`);
      expect(reply).toBeInstanceOf(Response);
      expect(await reply.text()).toBe("hello");
      await network.close();
    }
  });

  it("never covers our own ports by an entry without a port", async () => {
    const network = createNetwork({ allowHosts: ["localhost", "127.0.0.0/8"], denyPorts: [port] });
    await expect(network.request(`http://localhost:${port}/`)).rejects.toThrow("ENOTFOUND");
    await network.close();
  });

  it.each(["localhost", "127.0.0.1"])(
    "reaches %s from the moment it is allowed, until it is not",
    async (host) => {
      const hosts: string[] = [];
      const network = createNetwork({ allowHosts: [], denyPorts: [], allowedLater: () => hosts });
      const ask = async () => (await network.request(`http://${host}:${port}/`)).body.text();
      await expect(ask()).rejects.toThrow(/ENOTFOUND|not a public address/);
      hosts.push(`${host}:${port + 1}`);
      await expect(ask()).rejects.toThrow(/ENOTFOUND|not a public address/);
      hosts.push(`${host}:${port}`);
      expect(await ask()).toBe("hello");
      server.closeAllConnections();
      hosts.length = 0;
      await expect(ask()).rejects.toThrow(/ENOTFOUND|not a public address/);
      await network.close();
    },
  );

  it("opens a new connection only to what is still allowed, whichever pool it belongs to", async () => {
    const hosts = [`127.0.0.1:${port}`];
    const network = createNetwork({ allowHosts: [], denyPorts: [], allowedLater: () => hosts });
    const outgoing = { method: "GET", headers: {}, body: null, lane: "held" } as const;
    const answered = () =>
      new Promise<string>((resolve, reject) => {
        let body = "";
        network.send(new URL(`http://127.0.0.1:${port}/`), outgoing, {
          onHead: () => {},
          onData: (chunk) => {
            body += chunk;
          },
          onEnd: () => resolve(body),
          onError: reject,
        });
      });
    expect(await answered()).toBe("hello");
    server.closeAllConnections();
    hosts.length = 0;
    await expect(answered()).rejects.toThrow("not a public address");
    await network.close();
  });

  it("never reaches our own ports, even when they were allowed later", async () => {
    const allowedLater = () => [`localhost:${port}`, `127.0.0.1:${port}`];
    const network = createNetwork({ allowHosts: [], denyPorts: [port], allowedLater });
    await expect(network.request(`http://localhost:${port}/`)).rejects.toThrow("ENOTFOUND");
    await expect(network.request(`http://127.0.0.1:${port}/`)).rejects.toThrow("not a public address");
    await network.close();
  });

  it("writes nothing when the moment for it has passed while the connection was made", async () => {
    let arrived = 0;
    server.once("request", () => arrived++);
    const network = createNetwork({ allowHosts: [`127.0.0.1:${port}`], denyPorts: [] });
    const outgoing = { method: "POST", headers: {}, body: "{}", lane: "held" } as const;
    const failure = await new Promise<{ error: Error; sent: boolean }>((resolve, reject) => {
      const answered = () => reject(new Error("it was sent"));
      network.send(new URL(`http://127.0.0.1:${port}/`), outgoing, {
        onStart() {
          throw new Error("too late");
        },
        onHead: answered,
        onData: answered,
        onEnd: answered,
        onError: (error, sent) => resolve({ error, sent }),
      });
    });
    expect(failure).toMatchObject({ error: { message: "too late" }, sent: false });
    expect(arrived).toBe(0);
    await network.close();
  });

  it("hands a redirect back and caps a body", async () => {
    const network = createNetwork({ allowHosts: [`127.0.0.1:${port}`], denyPorts: [] });
    expect((await network.fetch(`http://127.0.0.1:${port}/redirect`)).status).toBe(302);
    expect((await network.request(`http://127.0.0.1:${port}/redirect`)).statusCode).toBe(302);
    await expect((await network.fetch(`http://127.0.0.1:${port}/huge`)).text()).rejects.toThrow(
      "larger than",
    );
    await network.close();
  });
});

describe("addresses of the operator's", () => {
  it("may be private", async () => {
    for (const url of ["http://10.0.0.1/", "http://127.0.0.1:8080/", "https://[fd12:3456::1]/"])
      expect(checkOperatorUrl(url).href).toBe(url);
    await new Promise<void>((resolve, reject) =>
      operatorLookup("localhost", { all: true }, (error) => (error ? reject(error) : resolve())),
    );
  });

  it("are never metadata services, written out or behind a name", async () => {
    for (const url of [
      "http://169.254.169.254/",
      "http://[fe80::1]/",
      "http://2852039166/",
      "ftp://x.example/",
    ])
      expect(() => checkOperatorUrl(url)).toThrow(NetworkError);
    // A resolver answers for a literal too, as it would for a name that leads there.
    const refusal = await new Promise((resolve) => operatorLookup("169.254.169.254", { all: true }, resolve));
    expect(refusal).toBeInstanceOf(NetworkError);
  });
});
