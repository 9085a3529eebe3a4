/** Whoever is refused something is named in the web's log, by ids alone. */
import fs from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
let acme: string;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  listen();
  web = await startWeb({ LOG_LEVEL: "info" });
  acme = await web.organization("acme-refusals");
});
afterAll(() => web.stop());

/** The web logs to file descriptor 1 of this process, past `process.stdout`. */
function listen(): void {
  for (const name of ["write", "writeSync"] as const) {
    const original = fs[name] as (...rest: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (fd: number, data: unknown, ...rest: unknown[]) => {
        if (fd === 1 && String(data).startsWith('{"level"')) lines.push(JSON.parse(String(data)));
        return original(fd, data, ...rest);
      },
    });
  }
}

const refusals = () => lines.filter(({ msg }) => msg === "a call was refused");

test("a call beyond one's role is in the log, reads as well as writes, by a person as by a key", async () => {
  const pia = await web.member(acme, "Pia", "viewer");
  const key = await web.key(acme, "viewer");
  const read = await web.call("GET", "/api/v1/events?q=s3cret", { cookie: pia.cookie });
  const write = await web.call("POST", "/api/v1/servers", { key, body: { name: "s3cret" } });
  const foreign = { cookie: pia.cookie, headers: { "sec-fetch-site": "cross-site" } };
  const crossSite = await web.call("DELETE", "/api/v1/me/sessions", foreign);
  expect([read.status, write.status, crossSite.status]).toEqual([403, 403, 403]);
  await expect.poll(() => refusals().length).toBe(3);
  expect(refusals()).toMatchObject([
    { code: "forbidden", method: "GET", path: "/api/v1/events", organizationId: acme, actorId: pia.userId },
    { code: "forbidden", method: "POST", path: "/api/v1/servers", organizationId: acme, actorKind: "key" },
    { code: "cross_site", method: "DELETE", path: "/api/v1/me/sessions", actorId: pia.userId },
  ]);
  expect(refusals().map(({ requestId }) => requestId)).toEqual(
    [read, write, crossSite].map(({ headers }) => headers.get("x-request-id")),
  );
  expect(JSON.stringify(lines)).not.toMatch(/s3cret|Pia/);
});

test("what is allowed, and what is not there, is no refusal", async () => {
  const before = refusals().length;
  const ola = await web.member(acme, "Ola", "owner");
  expect((await web.call("GET", "/api/v1/events", { cookie: ola.cookie })).status).toBe(200);
  const unknown = `/api/v1/tasks/${crypto.randomUUID()}`;
  expect((await web.call("POST", `${unknown}/cancel`, { cookie: ola.cookie })).status).toBe(404);
  await expect.poll(() => lines.some(({ status }) => status === 404)).toBe(true);
  expect(refusals()).toHaveLength(before);
});

test("an address that is a secret is in no line, by whatever method and however its call fails", async () => {
  const headers = { "x-forwarded-for": "192.0.2.77" };
  await web.database.sql("ALTER FUNCTION gate.take_calls RENAME TO take_calls_away");
  try {
    for (const path of ["/api/calendar/s3cret.ics", "/api/unsubscribe/s3cret"])
      for (const method of ["GET", "PUT"] as const)
        expect((await web.call(method, path, { headers })).status, `${method} ${path}`).toBe(500);
  } finally {
    await web.database.sql("ALTER FUNCTION gate.take_calls_away RENAME TO take_calls");
  }
  const failed = () => lines.flatMap(({ msg, path }) => (msg === "A request failed" ? [path] : []));
  await expect.poll(() => failed().length).toBe(4);
  expect(new Set(failed())).toEqual(new Set(["/api/calendar/{file}", "/api/unsubscribe/{token}"]));
  expect(JSON.stringify(lines)).not.toContain("s3cret");
});
