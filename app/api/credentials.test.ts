/** Every call of the API description: who may make it, who may not, and from which origins. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLES, type Role, roleAllows } from "@/lib/access/roles.ts";
import { expectFound, namesOf, send } from "@/test/guards/caller.ts";
import { startDescribedWeb } from "@/test/guards/described.ts";
import { picture } from "@/test/guards/digest.ts";
import { EXCEPTIONS, PUBLIC } from "@/test/guards/exceptions.ts";
import type { Operation } from "@/test/guards/operations.ts";
import {
  type Credential,
  createTenantFixture,
  credentialsOf,
  deadCredentials,
  type TenantFixture,
  tenantFor,
} from "@/test/guards/tenant-fixture.ts";

const { web, operations } = await startDescribedWeb();
let admin: pg.Client;
let acme: TenantFixture;
let dead: [string, Credential][];

beforeAll(async () => {
  acme = await createTenantFixture(web, "acme-credentials");
  dead = await deadCredentials(web, acme);
  admin = new pg.Client({ connectionString: web.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await web.stop();
});

const guarded = operations
  .filter(({ access }) => access !== "none")
  .map((operation) => [operation.name, operation] as const);
const writes = guarded.filter(([, { method }]) => method !== "GET");
const withBody = operations
  .filter(({ body }) => body)
  .map((operation) => [operation.name, operation] as const);

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
  test.each(guarded)("%s: asks for one that is in force", async (_name, operation) => {
    const names = await namesOf(operation, acme.things("owner", operation));
    const before = await picture(admin, acme.organizationId);
    for (const [what, credential] of dead) {
      const reply = await send(web, operation, credential, names);
      expect([what, reply.status, reply.code]).toEqual([what, 401, "unauthenticated"]);
    }
    expect(await picture(admin, acme.organizationId)).toEqual(before);
  });

  test.each(guarded)(
    "%s: asks for its role, of people as of keys, and no stronger one",
    async (_name, operation) => {
      const { membersOnly } = EXCEPTIONS[operation.name] ?? {};
      const refused = ROLES.filter((role) => !isEnough(role, operation));
      const names = await namesOf(operation, acme.things("owner", operation));
      const before = await picture(admin, acme.organizationId);
      for (const role of refused)
        for (const [who, credential] of credentialsOf(acme, role)) {
          const reply = await send(web, operation, credential, names);
          expect([who, reply.status, reply.code]).toEqual([who, 403, "forbidden"]);
        }
      expect(await picture(admin, acme.organizationId)).toEqual(before);

      for (const role of ROLES.filter((each) => isEnough(each, operation)))
        for (const kind of ["cookie", "key"] as const) {
          const fixture = await tenantFor(web, acme, operation);
          const ours = await namesOf(operation, fixture.things(role, operation));
          const credential = kind === "cookie" ? fixture.people[role] : { key: fixture.keys[role] };
          const reply = await send(web, operation, credential, ours);
          if (membersOnly && kind === "key")
            expect([role, reply.status, reply.code]).toEqual([role, 403, "forbidden"]);
          else expectFound(reply, operation);
        }
    },
  );
});

describe("another site's page", () => {
  test.each(writes)("%s: cannot make the call, whatever cookie comes along", async (_name, operation) => {
    const names = await namesOf(operation, acme.things("owner", operation));
    const before = await picture(admin, acme.organizationId);
    const elsewhere: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      // A page cannot set Sec-Fetch-Site, so the header outranks a plausible Origin.
      { origin: "http://localhost:3000", "sec-fetch-site": "cross-site" },
    ];
    for (const headers of elsewhere) {
      const reply = await send(web, operation, acme.people.owner, names, headers);
      expect([headers, reply.status, reply.code]).toEqual([headers, 403, "cross_site"]);
    }
    expect(await picture(admin, acme.organizationId)).toEqual(before);
  });
});

describe("a body that is no JSON", () => {
  test.each(withBody)("%s: takes no form and no file", async (_name, operation) => {
    const names = await namesOf(operation, acme.things("owner", operation));
    const before = await picture(admin, acme.organizationId);
    for (const type of [
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded",
      "text/plain",
    ]) {
      const reply = await send(web, operation, acme.people.owner, names, { "content-type": type });
      expect([type, reply.status, reply.code]).toEqual([type, 415, "unsupported_media_type"]);
    }
    expect(await picture(admin, acme.organizationId)).toEqual(before);
  });
});

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
