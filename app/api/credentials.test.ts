/** Every call of the API description: who may make it, who may not, and from which origins. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLES, type Role, roleAllows } from "@/lib/access/roles.ts";
import { expectFound, type Names, namesOf, send } from "@/test/guards/caller.ts";
import { startDescribedWeb } from "@/test/guards/described.ts";
import { picture } from "@/test/guards/digest.ts";
import { EXCEPTIONS, PUBLIC } from "@/test/guards/exceptions.ts";
import type { Operation } from "@/test/guards/operations.ts";
import {
  CREDENTIAL_KINDS,
  type Credential,
  createTenantFixture,
  credentialOf,
  DEAD_CREDENTIALS,
  deadCredentials,
  type TenantFixture,
  tenantFor,
} from "@/test/guards/tenant-fixture.ts";
import { sharedNames, walk, walkUnchanged } from "@/test/guards/walk.ts";

const { web, operations } = await startDescribedWeb();
let admin: pg.Client;
let acme: TenantFixture;
let dead: Awaited<ReturnType<typeof deadCredentials>>;
let prepare: ReturnType<typeof sharedNames>;

beforeAll(async () => {
  acme = await createTenantFixture(web, "acme-credentials");
  dead = await deadCredentials(web, acme);
  prepare = sharedNames((operation) => acme.things("owner", operation));
  admin = new pg.Client({ connectionString: web.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await web.stop();
});

const guarded = operations.filter(({ access }) => access !== "none");
const writes = guarded.filter(({ method }) => method !== "GET");
const withBody = operations.filter(({ body }) => body);

test("no call is public but those of which it is known why", () => {
  const found = operations.filter(({ access }) => access === "none").map(({ name }) => name);
  expect(found.sort()).toEqual(Object.keys(PUBLIC).sort());
});

test("what the contract says who may do is what the description says", () => {
  const roles = Object.fromEntries(operations.map(({ name, access }) => [name, access]));
  expect(roles).toMatchObject(
    Object.fromEntries(Object.entries(CONTRACT).map(([call, role]) => [call.replace(" ", " /api/v1"), role])),
  );
});

describe("a credential", () => {
  test.each(DEAD_CREDENTIALS)("%s: every call asks for one that is in force", (what) =>
    expectAllRefused(guarded, dead[what], [401, "unauthenticated"]),
  );

  const kinds = ROLES.flatMap((role) => CREDENTIAL_KINDS.map((kind) => [role, kind] as const));
  test.each(kinds)(
    "of the %s, a %s: every call asks for its role, of people as of keys, and no stronger one",
    async (role, kind) => {
      const [refused, allowed] = [false, true].map((enough) =>
        guarded.filter((operation) => isEnough(role, operation) === enough),
      ) as [Operation[], Operation[]];
      // The strongest role is refused nothing.
      if (role === ROLES.at(-1)) expect(refused).toEqual([]);
      else await expectAllRefused(refused, credentialOf(acme, role, kind), [403, "forbidden"]);

      const sharedByReads = sharedNames((operation) => acme.things(role, operation));
      await walk(allowed, async (operation) => {
        const { membersOnly } = EXCEPTIONS[operation.name] ?? {};
        if (membersOnly && kind === "key") {
          const reply = await send(web, operation, credentialOf(acme, role, kind), await prepare(operation));
          expect([reply.status, reply.code]).toEqual([403, "forbidden"]);
          return;
        }
        const fixture = await tenantFor(web, acme, operation);
        const names =
          operation.method === "GET"
            ? await sharedByReads(operation)
            : await namesOf(operation, fixture.things(role, operation));
        expectFound(await send(web, operation, credentialOf(fixture, role, kind), names), operation);
      });
    },
  );
});

describe("another site's page", () => {
  test.each<Record<string, string>>([
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    // A page cannot set Sec-Fetch-Site, so the header outranks a plausible Origin.
    { origin: "http://localhost:3000", "sec-fetch-site": "cross-site" },
  ])("%j: cannot make the call, whatever cookie comes along", (headers) =>
    expectAllRefused(writes, acme.people.owner, [403, "cross_site"], headers),
  );
});

describe("a body that is no JSON", () => {
  test.each(["multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "text/plain"])(
    "%s: every call takes no form and no file",
    (type) =>
      expectAllRefused(withBody, acme.people.owner, [415, "unsupported_media_type"], {
        "content-type": type,
      }),
  );
});

/** Expects that all calls get this status and code, and that none of them writes. */
function expectAllRefused(
  calls: Operation[],
  who: Credential,
  expected: [number, string],
  headers: Record<string, string> = {},
): Promise<void> {
  return walkUnchanged<Operation, Names>(calls, {
    prepare,
    async take(operation, names) {
      const reply = await send(web, operation, who, names, headers);
      expect([reply.status, reply.code]).toEqual(expected);
    },
    look: () => picture(admin, acme.organizationId),
  });
}

function isEnough(role: Role, { access }: Operation): boolean {
  return access === "any" || access === "none" || roleAllows(role, access);
}

/** The weakest role allowed, as documented for outside programs. */
const CONTRACT: Record<string, Role | "any"> = {
  "GET /me": "any",
  "GET /stream": "any",
  "GET /servers": "viewer",
  "POST /servers": "admin",
  "GET /servers/{id}": "viewer",
  "PATCH /servers/{id}": "admin",
  "DELETE /servers/{id}": "admin",
  "POST /servers/{id}/check": "operator",
  "GET /servers/{id}/tools": "viewer",
  "GET /servers/{id}/recipes": "admin",
  "POST /servers/{id}/recipes": "admin",
  "GET /servers/{id}/recipes/{name}": "admin",
  "PUT /servers/{id}/recipes/{name}": "admin",
  "DELETE /servers/{id}/recipes/{name}": "admin",
  "POST /servers/{id}/recipes/{name}/try": "admin",
  "POST /servers/{id}/found-tasks/{foundId}/adopt": "admin",
  "GET /tasks": "viewer",
  "POST /tasks": "operator",
  "GET /tasks/{id}": "viewer",
  "POST /tasks/{id}/cancel": "operator",
  "POST /tasks/{id}/refresh": "operator",
  "POST /tasks/{id}/restart": "operator",
  "GET /tasks/{id}/events": "viewer",
  "GET /tasks/{id}/messages": "operator",
  "GET /input-requests": "viewer",
  "GET /input-requests/{id}": "viewer",
  "POST /input-requests/{id}/answer": "approver",
  "POST /input-requests/{id}/undo": "approver",
  "DELETE /input-requests/{id}/vote": "approver",
  "POST /input-requests/{id}/claim": "approver",
  "POST /input-requests/{id}/release": "approver",
  "POST /input-requests/{id}/resend": "operator",
  "POST /input-requests/{id}/assign": "operator",
  "POST /input-requests/{id}/hand-over": "approver",
  "PUT /input-requests/{id}/draft": "approver",
  "GET /input-requests/{id}/comments": "viewer",
  "POST /input-requests/{id}/ask-requester": "approver",
  "PUT /input-requests/{id}/snooze": "approver",
  "DELETE /input-requests/{id}/snooze": "approver",
  "POST /input-requests/bulk-answer": "approver",
  "POST /input-requests/bulk-undo": "approver",
  "GET /policy": "admin",
  "PUT /policy": "admin",
  "GET /calendar": "admin",
  "PUT /calendar": "admin",
  "GET /people": "approver",
  "PUT /decline-reasons": "admin",
  "PUT /undo-window": "admin",
  "GET /events": "admin",
  "GET /events/verify": "admin",
  "GET /events/export": "admin",
  "GET /api-keys": "admin",
  "POST /api-keys": "admin",
  "DELETE /api-keys/{id}": "admin",
  "GET /members": "admin",
  "PATCH /members/{id}": "admin",
  "DELETE /members/{id}": "admin",
  "GET /members/{id}/away": "admin",
  "PUT /members/{id}/away": "admin",
  "DELETE /members/{id}/away": "admin",
  "PUT /me/away": "approver",
};
