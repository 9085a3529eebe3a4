/**
 * A session alone is not enough for what takes everything out, away or over: within the last minutes the person has to
 * have shown that it is them. Keys do what their role allows, and the worst only where they were made for it.
 */
import { readFileSync } from "node:fs";
import { Secret, TOTP } from "otpauth";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Names, send } from "@/test/guards/caller.ts";
import { startDescribedWeb } from "@/test/guards/described.ts";
import { picture } from "@/test/guards/digest.ts";
import type { Operation } from "@/test/guards/operations.ts";
import { createTenantFixture, type TenantFixture } from "@/test/guards/tenant-fixture.ts";
import { sharedNames, walk, walkUnchanged } from "@/test/guards/walk.ts";

const { web, operations } = await startDescribedWeb();
let admin: pg.Client;
let acme: TenantFixture;

beforeAll(async () => {
  acme = await createTenantFixture(web, "acme-step-up");
  admin = new pg.Client({ connectionString: web.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await web.stop();
});

/** As a session that was taken from a browser long after the person signed in. */
const age = (userId: string) =>
  admin.query("UPDATE session SET factor_at = now() - interval '5 minutes' WHERE user_id = $1", [userId]);

const PASSWORD = "correct horse battery";

describe("every call", () => {
  /** The calls of docs/api.md's table of those that need it. */
  const table = [
    ...readFileSync("docs/api.md", "utf8")
      .split("### Showing that it is you")[1]!
      .split("\n## ")[0]!
      .matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/api\/(?:aap\/)?v1\/[^`]+)`/g),
  ].map(([, call]) => call!);

  test("that needs it is in the table, and no other", () => {
    const needed = operations.filter(({ stepUp }) => stepUp).map(({ name }) => name);
    expect([...new Set(table)].filter((call) => !call.includes("/me/step-up")).sort()).toEqual(needed.sort());
  });

  // Whether the organization's own call needs it depends on its body: a test of its own below.
  const always = operations.filter(({ stepUp, name }) => stepUp && name !== "PATCH /api/v1/organization");
  test("a stolen session is refused, and changes nothing", async () => {
    const { userId } = acme.people.owner;
    const session = { cookie: await web.signIn(userId) };
    // The other session of the owner stays fresh, so that it can make the things.
    await admin.query(
      `UPDATE session SET factor_at = now() - interval '5 minutes'
        WHERE id = (SELECT id FROM session WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1)`,
      [userId],
    );
    await walkUnchanged<Operation, Names>(always, {
      prepare: sharedNames((operation) => acme.things("owner", operation)),
      async take(operation, names) {
        const reply = await send(web, operation, session, names);
        expect([reply.status, reply.code]).toEqual([403, "step_up_required"]);
      },
      look: () => picture(admin, acme.organizationId),
    });
  });
});

describe("a key", () => {
  const named = operations.filter(({ namedByKeys }) => namedByKeys !== null);

  test("is one whose limits name the permission where everything goes out or away, or somebody gets rights", () => {
    expect(named.map(({ name }) => name).sort()).toEqual([
      "DELETE /api/v1/groups/{id}",
      "DELETE /api/v1/organization",
      "GET /api/v1/events/export",
      "GET /api/v1/organization/export",
      "PATCH /api/v1/groups/{id}",
      "PATCH /api/v1/invitations/{id}",
      "PATCH /api/v1/members/{id}",
      "PATCH /api/v1/organization",
      "PATCH /api/v1/organization/retention",
      "PATCH /api/v1/organization/slack",
      "PATCH /api/v1/organization/teams",
      "PATCH /api/v1/saml-providers/{id}",
      "POST /api/v1/groups",
      "POST /api/v1/invitations",
      "POST /api/v1/members",
      "POST /api/v1/saml-providers",
      "PUT /api/v1/calendar",
      "PUT /api/v1/call-rules",
      "PUT /api/v1/organization/slack",
      "PUT /api/v1/organization/teams",
      "PUT /api/v1/policy",
    ]);
    for (const { stepUp } of named) expect(stepUp).toBe(true);
  });

  const always = named.filter(({ name }) => name !== "PATCH /api/v1/organization");
  test("one of its role alone is refused, changes nothing, and makes none that is not", async () => {
    const { cookie } = acme.people.owner;
    const make = (who: object, permissions?: (string | null)[]) =>
      web.call("POST", "/api/v1/api-keys", {
        ...who,
        body: { name: "k", role: "owner", ...(permissions && { permissions }) },
      });
    const { secret: key } = (await make({ cookie })).body;
    const prepare = sharedNames((operation) => acme.things("owner", operation));
    await walkUnchanged<Operation, Names>(always, {
      prepare,
      async take(operation, names) {
        const reply = await send(web, operation, { key }, names);
        expect([reply.status, reply.code]).toEqual([403, "forbidden"]);
        const more = await make({ key }, [operation.namedByKeys]);
        expect([more.status, more.body.code]).toEqual([403, "forbidden"]);
      },
      look: () => picture(admin, acme.organizationId),
    });
    await walk(always, async (operation) => {
      const { secret: meant } = (await make({ cookie }, [operation.namedByKeys])).body;
      const reply = await send(web, operation, { key: meant }, await prepare(operation));
      expect(reply.code).not.toBe("forbidden");
    });
  });

  test("of its role alone renames the organization, and does not touch the rule of a second person", async () => {
    const cookie = acme.people.owner.cookie;
    const made = await web.call("POST", "/api/v1/api-keys", { cookie, body: { name: "k", role: "owner" } });
    const { secret: key } = made.body;
    const change = (body: object) => web.call("PATCH", "/api/v1/organization", { key, body });
    expect((await change({ name: "Acme" })).status).toBe(200);
    for (const body of [{ fourEyes: true }, { fourEyes: false }, { keysWithoutEnd: true }])
      expect((await change(body)).body.code).toBe("forbidden");
  });
});

describe("a person", () => {
  let organizationId: string;
  let olga: { userId: string; memberId: string; cookie: string };
  let made = 0;
  beforeEach(async () => {
    organizationId = await web.organization(`acme-person-${++made}`);
    olga = await web.member(organizationId, "Olga", "owner");
    await age(olga.userId);
  });
  const call = (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object) =>
    web.call(method, `/api/v1${path}`, { cookie: olga.cookie, ...(body && { body }) });
  const makeKey = () => call("POST", "/api-keys", { name: "k", role: "viewer" });
  const givePassword = async () => {
    const { hashPassword } = await import("@/lib/people/members/password.ts");
    await admin.query(`UPDATE "user" SET password_hash = $1 WHERE id = $2`, [
      await hashPassword(PASSWORD),
      olga.userId,
    ]);
  };

  test("shows the password, and the session is good for five minutes", async () => {
    await givePassword();
    expect((await call("GET", "/me/step-up")).body).toMatchObject({ fresh: false, ways: ["password"] });
    expect((await makeKey()).body.code).toBe("step_up_required");
    expect((await call("POST", "/me/step-up", { password: "wrong" })).body.code).toBe("wrong_password");
    expect((await makeKey()).body.code).toBe("step_up_required");
    expect((await call("POST", "/me/step-up", { password: PASSWORD })).status).toBe(204);
    expect((await call("GET", "/me/step-up")).body.fresh).toBe(true);
    expect((await makeKey()).status).toBe(201);
    await age(olga.userId);
    expect((await makeKey()).body.code).toBe("step_up_required");
  });

  test("with two-step sign-in shows a code: the password, which may be stolen with the session, is not enough", async () => {
    await givePassword();
    const started = await call("POST", "/me/second-factor", { currentPassword: PASSWORD });
    const totp = new TOTP({ secret: Secret.fromBase32(started.body.secret) });
    const confirmed = await call("POST", "/me/second-factor/confirm", { code: totp.generate() });
    expect((await call("GET", "/me/step-up")).body.ways).toEqual(["code"]);
    expect((await call("POST", "/me/step-up", { password: PASSWORD })).body.code).toBe("forbidden");
    expect((await call("POST", "/me/step-up", { code: "000000" })).body.code).toBe("wrong_code");
    expect((await makeKey()).body.code).toBe("step_up_required");
    const [code] = confirmed.body.recoveryCodes;
    expect((await call("POST", "/me/step-up", { code })).status).toBe(204);
    expect((await makeKey()).status).toBe(201);
  });

  test("who has no password adds no way to sign in by a session alone, which they could show then", async () => {
    expect((await call("POST", "/me/passkeys/options", {})).body.code).toBe("step_up_required");
    expect((await call("POST", "/me/second-factor", {})).body.code).toBe("step_up_required");
    const cookie = await web.signIn(olga.userId);
    expect((await web.call("POST", "/api/v1/me/passkeys/options", { cookie, body: {} })).status).toBe(200);
    expect((await web.call("POST", "/api/v1/me/second-factor", { cookie, body: {} })).status).toBe(200);
  });

  test("with two-step sign-in adds no passkey by the password alone; who has but the password does", async () => {
    await givePassword();
    const proof = { currentPassword: PASSWORD };
    expect((await call("POST", "/me/passkeys/options", {})).body.code).toBe("wrong_password");
    expect((await call("POST", "/me/passkeys/options", proof)).status).toBe(200);
    const started = await call("POST", "/me/second-factor", proof);
    const totp = new TOTP({ secret: Secret.fromBase32(started.body.secret) });
    const confirmed = await call("POST", "/me/second-factor/confirm", { code: totp.generate() });
    expect((await call("POST", "/me/passkeys/options", proof)).body.code).toBe("step_up_required");
    const [code] = confirmed.body.recoveryCodes;
    expect((await call("POST", "/me/step-up", { code })).status).toBe(204);
    expect((await call("POST", "/me/passkeys/options", proof)).status).toBe(200);
  });

  test("with two-step sign-in changes no password by the password alone, which may be stolen with the session", async () => {
    await givePassword();
    const change = (current: string, password: string) => call("POST", "/me/password", { current, password });
    const next = "another long pass phrase";
    const started = await call("POST", "/me/second-factor", { currentPassword: PASSWORD });
    const totp = new TOTP({ secret: Secret.fromBase32(started.body.secret) });
    const confirmed = await call("POST", "/me/second-factor/confirm", { code: totp.generate() });
    expect((await change(PASSWORD, next)).body.code).toBe("step_up_required");
    const [code] = confirmed.body.recoveryCodes;
    expect((await call("POST", "/me/step-up", { code })).status).toBe(204);
    expect((await change("wrong", next)).body.code).toBe("wrong_password");
    expect((await change(PASSWORD, next)).status).toBe(204);
  });

  test("who has but the password changes it by that", async () => {
    await givePassword();
    const body = { current: PASSWORD, password: "another long pass phrase" };
    expect((await call("POST", "/me/password", body)).status).toBe(204);
  });

  test("loses no passkey, no link to a provider and no membership to whoever has the session alone", async () => {
    const id = crypto.randomUUID();
    for (const path of [`/me/passkeys/${id}`, `/me/saml-links/${id}`, "/me/membership"])
      expect([path, (await call("DELETE", path)).body?.code]).toEqual([path, "step_up_required"]);
  });

  test("of a provider signs in again there", async () => {
    expect((await call("GET", "/me/step-up")).body).toMatchObject({ fresh: false, ways: ["provider"] });
    expect((await call("POST", "/me/step-up", { password: "" })).status).toBe(403);
    expect((await makeKey()).body.code).toBe("step_up_required");
    expect(
      (
        await web.call("POST", "/api/v1/api-keys", {
          cookie: await web.signIn(olga.userId),
          body: { name: "k", role: "viewer" },
        })
      ).status,
    ).toBe(201);
  });

  test("does for themselves only", async () => {
    const otto = await web.member(organizationId, "Otto", "owner");
    await givePassword();
    await age(otto.userId);
    await call("POST", "/me/step-up", { password: PASSWORD });
    const body = { name: "k", role: "viewer" };
    expect((await web.call("POST", "/api/v1/api-keys", { cookie: otto.cookie, body })).body.code).toBe(
      "step_up_required",
    );
  });

  test("renames without it, and changes the rule of a second person with it", async () => {
    expect((await call("PATCH", "/organization", { name: "Acme" })).status).toBe(200);
    expect((await call("PATCH", "/organization", { fourEyes: true })).body.code).toBe("step_up_required");
  });

  test("who comes into the demonstration by a click has nothing to show", async () => {
    await admin.query("UPDATE session SET method = 'demo' WHERE user_id = $1", [olga.userId]);
    expect((await makeKey()).status).toBe(201);
  });
});
