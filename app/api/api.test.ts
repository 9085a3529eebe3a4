import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import type { Handler, Method } from "@/lib/web/http/route.ts";
import { unbounded } from "@/test/guards/bounds.ts";
import { operationsOf } from "@/test/guards/operations.ts";
import { ORIGIN, webForFile } from "@/test/web.ts";

const METHODS: Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
type Paths = Record<string, Partial<Record<Method, Handler>>>;

const web = webForFile();
let paths: Paths;
let acme: string;
const keys: Record<string, string> = {};

beforeAll(async () => {
  ({ paths } = await import("@/app/api/v1/openapi.json/paths.ts"));
  acme = await web.organization("acme-test");
  for (const role of ["viewer", "approver", "operator", "admin", "owner"] as const)
    keys[role] = await web.key(acme, role);
});

function routeFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.name === "route.ts")
    .map((entry) => join(entry.parentPath, entry.name));
}

const isScim = (path: string) => path.startsWith("/api/scim/v2/");

describe("every route", () => {
  const app = join(import.meta.dirname, "..");

  test("is built by the wrapper, and described by the API's own description", async () => {
    for (const file of routeFiles(app)) {
      if (file.includes("[...nextauth]")) continue;
      const module: Record<string, Handler> = await import(file);
      for (const method of METHODS.filter((name) => name in module))
        expect(module[method], `${method} of ${file}`).toHaveProperty("definition.auth");
      const path = file.slice(app.length, -"/route.ts".length).replaceAll(/\[(\w+)\]/g, "{$1}");
      // SCIM describes itself, by its schemas and resource types.
      if (path === "/api/[...path]" || path === "/api/v1/openapi.json" || isScim(path)) continue;
      expect(paths, file).toHaveProperty([path]);
    }
    const undescribed = 3 + routeFiles(app).filter((file) => isScim(file.slice(app.length))).length;
    expect(Object.keys(paths)).toHaveLength(routeFiles(app).length - undescribed);
  });

  test("of /api/v1 answers 401 without a credential, and 405 to a method it does not have", async () => {
    for (const [path, handlers] of Object.entries(paths).filter(([name]) => name.startsWith("/api/v1"))) {
      for (const method of METHODS) {
        const answer = await web.call(method, path.replaceAll(/{\w+}/g, uuidv7()));
        const { summary } = (handlers[method] as Handler).definition;
        expect([path, method, answer.status]).toEqual([path, method, summary === "Not allowed" ? 405 : 401]);
        expect(answer.headers.get("content-type")).toBe("application/problem+json");
        expect(answer.body).toMatchObject({
          requestId: answer.headers.get("x-request-id"),
          status: answer.status,
        });
      }
    }
  });
});

describe("the wrapper", () => {
  test("asks for the role that the contract names", async () => {
    const low = await web.call("GET", "/api/v1/members", { key: keys.operator });
    expect([low.status, low.body.code]).toEqual([403, "forbidden"]);
    expect((await web.call("GET", "/api/v1/members", { key: keys.admin })).status).toBe(200);
    const start = await web.call("POST", "/api/v1/tasks", { key: keys.approver, body: {} });
    expect(start.status).toBe(403);
  });

  test.each([
    ["a body that is not JSON", { body: "{" }, 400, "invalid_json"],
    ["a body that is nested without end", { body: "[".repeat(5000) + "]".repeat(5000) }, 400, "invalid_json"],
    [
      "another content type",
      { body: "{}", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    ["a body over 1 MiB", { body: JSON.stringify("x".repeat(1024 * 1024)) }, 413, "too_large"],
    ["a missing value", { body: {} }, 422, "invalid_input"],
  ])("refuses %s", async (_what, options, status, code) => {
    const answer = await web.call("POST", "/api/v1/api-keys", { key: keys.admin, ...options });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    if (code === "invalid_input")
      expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual(["name", "role"]);
  });

  test("takes little of strangers, and names not every field that is unknown", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 1]));
    const stranger = await web.call("POST", "/api/join", { body: many });
    expect([stranger.status, stranger.body.code]).toEqual([413, "too_large"]);
    const known = await web.call("POST", "/api/v1/api-keys", { key: keys.admin, body: many });
    expect(known.status).toBe(422);
    expect(JSON.stringify(known.body).length).toBeLessThan(2_000);
  });

  test("never lets a cookie make up for a wrong key", async () => {
    const ana = await web.member(acme, "Anna", "owner");
    const answer = await web.call("GET", "/api/v1/me", { cookie: ana.cookie, key: "itk_wrong" });
    expect(answer.status).toBe(401);
  });

  test.each([
    ["our own page", { "sec-fetch-site": "same-origin", origin: ORIGIN }, 200],
    ["our own page in an older browser", { origin: ORIGIN }, 200],
    ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
    ["another site that claims our origin", { "sec-fetch-site": "cross-site", origin: ORIGIN }, 403],
    ["a sibling site", { "sec-fetch-site": "same-site", origin: "http://other.localhost:3000" }, 403],
    ["nowhere", { origin: "null" }, 403],
  ])("takes a write with a session from %s: %s → %i", async (_where, headers, status) => {
    const ana = await web.member(acme, `Ana${Math.random()}`.replace(".", ""), "owner");
    const cleo = await web.member(acme, `Cleo${Math.random()}`.replace(".", ""), "viewer");
    const path = `/api/v1/members/${cleo.memberId}`;
    const answer = await web.call("PATCH", path, { cookie: ana.cookie, headers, body: { role: "approver" } });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.code).toBe("cross_site");
  });

  test.each([
    ["our own page", { "sec-fetch-site": "same-origin" }, 200],
    ["the address bar", { "sec-fetch-site": "none" }, 200],
    ["a program or an older browser", {}, 200],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["a sibling site", { "sec-fetch-site": "same-site" }, 403],
  ])(
    "takes an export with a session from %s: %s → %i, and notes no other",
    async (_where, headers, status) => {
      const globex = await web.organization(`export-${Math.random().toString(36).slice(2)}`);
      const gina = await web.member(globex, `Gina ${Math.random()}`, "owner");
      for (const path of ["/api/v1/events/export", "/api/v1/organization/export"]) {
        const response = await web.open("GET", path, { cookie: gina.cookie, headers });
        expect([path, response.status]).toEqual([path, status]);
        const text = await response.text();
        if (status === 403) expect(JSON.parse(text).code).toBe("cross_site");
      }
      const noted = await web.db.withOrganization(globex, async (tx) => ({
        lines: await tx.event.count({ where: { organizationId: globex, type: { endsWith: ".exported" } } }),
        isMarked: (await tx.organization.findFirstOrThrow({ where: { id: globex } })).exportedAt !== null,
      }));
      const taken = status === 200;
      expect(noted).toEqual({ lines: taken ? 2 : 0, isMarked: taken });
      const key = await web.key(globex, "admin");
      expect((await web.open("GET", "/api/v1/events/export", { key, headers })).status).toBe(200);
    },
  );
});

describe("sessions and keys", () => {
  test("say who one is", async () => {
    const ben = await web.member(acme, "Ben", "approver");
    const me = await web.call("GET", "/api/v1/me", { cookie: ben.cookie });
    expect(me.body).toMatchObject({
      user: { name: "Ben" },
      organization: { slug: "acme-test" },
      role: "approver",
    });
    const key = await web.call("GET", "/api/v1/me", { key: keys.viewer });
    expect(key.body).toMatchObject({ user: null, role: "viewer" });
  });

  test("end when revoked, and when the membership ends", async () => {
    const { closeSession } = await import("@/lib/web/auth/sessions.ts");
    const { decode } = await import("next-auth/jwt");
    const dora = await web.member(acme, "Dora", "admin");
    const made = await web.call("POST", "/api/v1/api-keys", {
      cookie: dora.cookie,
      body: { name: "mine", role: "admin" },
    });
    expect(made.status).toBe(201);
    const mine = { key: made.body.secret };
    const fromKey = await web.call("POST", "/api/v1/api-keys", {
      ...mine,
      body: { name: "its", role: "viewer" },
    });

    const token = await decode({
      token: dora.cookie.split("=")[1] ?? "",
      secret: process.env.AUTH_SECRET ?? "",
    });
    await closeSession(String(token?.sid));
    expect((await web.call("GET", "/api/v1/me", { cookie: dora.cookie })).status).toBe(401);

    const again = await web.signIn(dora.userId);
    expect((await web.call("GET", "/api/v1/me", { cookie: again })).status).toBe(200);
    expect((await web.call("DELETE", `/api/v1/members/${dora.memberId}`, { key: keys.owner })).status).toBe(
      204,
    );
    for (const credential of [{ cookie: again }, mine, { key: fromKey.body.secret }])
      expect((await web.call("GET", "/api/v1/me", credential)).status).toBe(401);
  });

  test("end for a call whose body is held back meanwhile", async () => {
    const { HELD_BODY_MS } = await import("@/lib/web/tunables.ts");
    const fay = await web.member(acme, "Fay", "owner");
    const pal = await web.member(acme, "Pal", "viewer");
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let finish = () => {};
    const body = new ReadableStream({
      start(controller) {
        const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
        send('{"role": ');
        finish = () => {
          send('"owner"}');
          controller.close();
        };
      },
      // Called once the first part was read, so after the caller was looked up.
      pull: () => begin(),
    });
    const held = web.call("PATCH", `/api/v1/members/${pal.memberId}`, { cookie: fay.cookie, body });
    await begun;
    const removed = await web.call("DELETE", `/api/v1/members/${fay.memberId}`, { key: keys.owner });
    expect(removed.status).toBe(204);
    await new Promise((resolve) => setTimeout(resolve, HELD_BODY_MS + 100));
    finish();
    expect((await held).status).toBe(401);
    expect((await web.call("GET", "/api/v1/me", pal)).body.role).toBe("viewer");
  });

  test("of a maker who was made less are made less too", async () => {
    const eve = await web.member(acme, "Eve", "admin");
    const made = await web.call("POST", "/api/v1/api-keys", {
      cookie: eve.cookie,
      body: { name: "e", role: "admin" },
    });
    await web.call("PATCH", `/api/v1/members/${eve.memberId}`, { key: keys.owner, body: { role: "viewer" } });
    expect((await web.call("GET", "/api/v1/me", { key: made.body.secret })).body.role).toBe("viewer");
  });

  test("make no key stronger than their own", async () => {
    const answer = await web.call("POST", "/api/v1/api-keys", {
      key: keys.admin,
      body: { name: "x", role: "owner" },
    });
    expect(answer.status).toBe(403);
  });

  test("list, rename and revoke keys without ever showing a secret again", async () => {
    const made = await web.call("POST", "/api/v1/api-keys", {
      key: keys.admin,
      body: { name: "x", role: "viewer" },
    });
    const renamed = await web.call("PATCH", `/api/v1/api-keys/${made.body.id}`, {
      key: keys.admin,
      body: { name: "y" },
    });
    expect(renamed.body.name).toBe("y");
    const list = await web.call("GET", "/api/v1/api-keys?limit=200", { key: keys.admin });
    expect(JSON.stringify(list.body)).not.toContain(made.body.secret);
    expect((await web.call("DELETE", `/api/v1/api-keys/${made.body.id}`, { key: keys.admin })).status).toBe(
      204,
    );
    expect((await web.call("GET", "/api/v1/me", { key: made.body.secret })).status).toBe(401);
    expect((await web.call("DELETE", `/api/v1/api-keys/${made.body.id}`, { key: keys.admin })).status).toBe(
      404,
    );
  });
});

describe("owners", () => {
  test("are made and unmade by owners alone, and the last one stays", async () => {
    const organization = await web.organization("owners-test");
    const admin = await web.key(organization, "admin");
    const owner = await web.key(organization, "owner");
    const one = await web.member(organization, "One", "owner");
    const two = await web.member(organization, "Two", "viewer");
    const path = (who: { memberId: string }) => `/api/v1/members/${who.memberId}`;
    expect((await web.call("PATCH", path(two), { key: admin, body: { role: "owner" } })).status).toBe(403);
    expect((await web.call("DELETE", path(one), { key: admin })).status).toBe(403);
    const last = await web.call("PATCH", path(one), { key: owner, body: { role: "admin" } });
    expect([last.status, last.body.code]).toEqual([409, "last_owner"]);
    expect((await web.call("PATCH", path(two), { key: owner, body: { role: "owner" } })).status).toBe(200);
  });

  test("of two who leave at once, one stays", async () => {
    const organization = await web.organization("race-test");
    const key = await web.key(organization, "owner");
    const owners = [
      await web.member(organization, "One", "owner"),
      await web.member(organization, "Two", "owner"),
    ];
    const answers = await Promise.all(
      owners.map((who) => web.call("DELETE", `/api/v1/members/${who.memberId}`, { key })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 409]);
    const left = await web.call("GET", "/api/v1/members", { key });
    expect(left.body.items).toHaveLength(1);
  });
});

describe("the description", () => {
  test("bounds every list and every text that it takes", async () => {
    const { body } = await web.call("GET", "/api/v1/openapi.json");
    expect(operationsOf(body).flatMap(unbounded)).toEqual([]);
  });

  test.each(["/api/v1/openapi.json", "/policy.schema.json"])(
    "%s is made once: anybody may ask for it",
    async (path) => {
      const ask = async (headers: Record<string, string>) => {
        const response = await web.open("GET", path, { headers });
        expect(response.status).toBe(200);
        return Buffer.from(await response.arrayBuffer());
      };
      const plain = await ask({});
      const before = process.threadCpuUsage();
      for (let n = 0; n < 20; n++) await ask({});
      const { user, system } = process.threadCpuUsage(before);
      // Made anew each time, 20 of the longer one take three seconds.
      expect((user + system) / 1_000).toBeLessThan(1_000);
      expect(JSON.parse(plain.toString())).toMatchObject({
        [path.includes("openapi") ? "openapi" : "title"]: expect.any(String),
      });
    },
  );

  test("names every call with its role, body, answers and refusals", async () => {
    const { openapi } = await import("@/lib/web/http/openapi.ts");
    const description = JSON.parse(JSON.stringify(await openapi(paths, ORIGIN)));
    expect(description.openapi).toBe("3.1.0");
    const start = description.paths["/api/v1/tasks"].post;
    expect(Object.keys(start.responses).sort()).toEqual([
      "200",
      "201",
      "400",
      "401",
      "403",
      "404",
      "409",
      "413",
      "415",
      "422",
      "429",
      "502",
      "503",
    ]);
    expect(start.requestBody.content["application/json"].schema.required).toEqual(["serverId", "tool"]);
    const list = description.paths["/api/v1/tasks"].get.parameters;
    expect(list.map((parameter: { name: string }) => parameter.name)).toContain("createdAfter");
    expect(list.find((parameter: { name: string }) => parameter.name === "limit").schema).toMatchObject({
      maximum: 200,
      default: 50,
    });
    expect(description.paths["/api/v1/input-requests/{id}"].get.parameters[0]).toMatchObject({
      name: "id",
      in: "path",
      required: true,
    });
  });
});
