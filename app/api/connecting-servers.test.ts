/** An address is tried before a server is saved, and a server's tools are known while it is away. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOAuthWebFixture, type OAuthWebFixture } from "@/test/fixtures/oauth-web-fixture.ts";
import { forFile } from "@/test/for-file.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { webForFile } from "@/test/web.ts";

const remote = forFile(startTestServer);
const web = webForFile({
  INTRAY_ALLOW_HOSTS: "127.0.0.1",
});
let oauth: OAuthWebFixture;
let ben: { cookie: string };

beforeAll(async () => {
  oauth = await createOAuthWebFixture(web, remote.url);
  ben = await web.member(oauth.organizationId, "Ben", "approver");
});
afterAll(async () => {
  await oauth.close();
});

const probe = (body: object) => web.call("POST", "/api/v1/servers/probe", { cookie: oauth.ana.cookie, body });
const kept = () =>
  web.db.withOrganization(oauth.organizationId, (tx) =>
    tx.server.count({ where: { organizationId: oauth.organizationId } }),
  );

describe("an address that is tried", () => {
  test("tells what it speaks, its name and its tools, and nothing is saved", async () => {
    const before = await kept();
    const { status, body } = await probe({ url: remote.url });
    expect([status, body]).toEqual([
      200,
      {
        health: { state: "ok", message: null },
        steps: [
          expect.objectContaining({ step: "identify", ok: true }),
          expect.objectContaining({ step: "tools", ok: true }),
        ],
        era: "2026-07-28",
        tools: 5,
        name: expect.stringMatching(/\S/),
        signIn: { kind: "none" },
      },
    ]);
    expect(await kept()).toBe(before);
  });

  test("tells where people sign in, or why Intray would not", async () => {
    const found = await probe({ url: oauth.remote.url });
    const host = new URL(oauth.authority.issuer).host;
    expect(found.body).toMatchObject({
      health: { state: "unauthorized" },
      era: null,
      name: null,
      signIn: { kind: "oauth", host, refusal: null },
    });
    oauth.authority.behave.metadata = ({ code_challenge_methods_supported: _, ...rest }) => rest;
    const unsafe = await probe({ url: oauth.remote.url });
    oauth.authority.behave.metadata = undefined;
    expect(unsafe.body.signIn).toEqual({ kind: "oauth", host: null, refusal: "pkce_unsupported" });
  });

  test("tells why there is no sign-in where the server names a place for it, and where it redirects to", async () => {
    oauth.authority.behave.instead = (request, response) => {
      if (!request.url?.startsWith("/.well-known/")) return false;
      response.writeHead(404).end();
      return true;
    };
    const nothing = await probe({ url: oauth.remote.url });
    oauth.authority.behave.instead = undefined;
    expect(nothing.body.signIn).toEqual({ kind: "oauth", host: null, refusal: "metadata_missing" });
    oauth.remote.behave.instead = (_, response) => {
      response.writeHead(308, { location: "https://moved.example/mcp?token=x" }).end();
      return true;
    };
    const moved = await probe({ url: oauth.remote.url });
    oauth.remote.behave.instead = undefined;
    expect(moved.body).toMatchObject({
      signIn: null,
      health: {
        state: "failing",
        message: "The server redirects to https://moved.example/mcp; set that address.",
      },
    });
  });

  test("asks for a token where no authorization server is named, and says whether a token is taken", async () => {
    const guard = await startTokenServer(remote.url, "sesame");
    expect((await probe({ url: guard.url })).body.signIn).toEqual({ kind: "bearer" });
    const wrong = await probe({ url: guard.url, auth: { kind: "bearer", token: "wrong" } });
    expect(wrong.body.health.state).toBe("unauthorized");
    const right = await probe({ url: guard.url, auth: { kind: "bearer", token: "sesame" } });
    expect(right.body).toMatchObject({ health: { state: "ok" }, signIn: { kind: "none" } });
    await guard.close();
  });

  test("may be dead, or forbidden; only admins try any", async () => {
    const dead = await probe({ url: "http://127.0.0.1:9/mcp" });
    expect(dead.body).toMatchObject({ health: { state: "unreachable" }, signIn: null, tools: null });
    const inner = await probe({ url: "http://10.0.0.1/mcp" });
    expect([inner.status, inner.body.code]).toEqual([422, "address_not_allowed"]);
    const tried = await web.call("POST", "/api/v1/servers/probe", { ...ben, body: { url: remote.url } });
    expect(tried.status).toBe(403);
  });
});

describe("the name of a server", () => {
  const add = async (body: object) => {
    const made = await web.call("POST", "/api/v1/servers", { cookie: oauth.ana.cookie, body });
    return [made.status, made.body.name];
  };

  test("is its own where none is given, else its host, with a number where another has it", async () => {
    const { name } = (await probe({ url: remote.url })).body;
    expect(await add({ url: remote.url })).toEqual([201, name]);
    expect(await add({ url: remote.url })).toEqual([201, `${name} 2`]);
    expect(await add({ url: remote.url, name })).toEqual([201, name]);
    expect(await add({ url: "http://127.0.0.1:9/mcp" })).toEqual([201, "127.0.0.1:9"]);
  });
});

describe("the tools of a server", () => {
  test("that is away are those it listed last, as of then, without waiting for it", async () => {
    const away = await startTestServer();
    const { id } = await oauth.addServer({ kind: "none" }, away.url);
    await away.close();
    const tools = async (query = "") =>
      (await web.call("GET", `/api/v1/servers/${id}/tools${query}`, { cookie: oauth.ana.cookie })).body;
    const [at] = await web.db.withOrganization(
      oauth.organizationId,
      (tx) =>
        tx.$queryRaw<{ at: Date }[]>`UPDATE server SET tools_checked_at = now() - interval '3 hours'
        WHERE id = ${id}::uuid RETURNING tools_checked_at AS at`,
    );
    const asOf = at?.at.toISOString();
    expect(await tools("?asSeen=true")).toMatchObject({ checkedAt: asOf, items: { length: 5 } });
    expect(await tools()).toMatchObject({ checkedAt: asOf, items: { length: 5 } });
    const shown = await web.call("GET", `/api/v1/servers/${id}`, { cookie: oauth.ana.cookie });
    expect(shown.body.health.state).toBe("unreachable");
  });

  test("that never answered are none, which is no failure; asking it is", async () => {
    const { id } = await oauth.addServer({ kind: "none" }, "http://127.0.0.1:9/mcp");
    const path = `/api/v1/servers/${id}/tools`;
    const seen = await web.call("GET", `${path}?asSeen=true`, { cookie: oauth.ana.cookie });
    expect([seen.status, seen.body]).toEqual([200, { items: [], nextCursor: null, checkedAt: null }]);
    const asked = await web.call("GET", path, { cookie: oauth.ana.cookie });
    expect([asked.status, asked.body.code]).toEqual([502, "server_unavailable"]);
  });
});

/** A guard before a server that takes one fixed token and names no authorization server. */
async function startTokenServer(inner: string, token: string) {
  const guard = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers;
    const answer = await fetch(inner, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const {
      "content-encoding": _encoding,
      "content-length": _size,
      "transfer-encoding": _coding,
      ...back
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, back);
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => guard.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(guard.address() as AddressInfo).port}/mcp`,
    close: () => new Promise((resolve) => guard.close(resolve)),
  };
}
