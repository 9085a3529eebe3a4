/**
 * Conversations that Entra ID and Okta hold with a SCIM service, request by request, in the forms that Microsoft's and
 * Okta's documentation give for them.
 */
import { expect, test } from "vitest";
import {
  acceptInvitation,
  createDirectoryFixture,
  type DirectoryFixture,
  GROUP,
  PATCH,
  USER,
} from "@/test/directory.ts";
import { webForFile } from "@/test/web.ts";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const web = webForFile();

/** Looks as a provider does: what is not found is an empty list, and no 404. */
async function find({ scim }: DirectoryFixture, path: string, filter: string, more = "") {
  const { status, body } = await scim("GET", `${path}?filter=${encodeURIComponent(filter)}${more}`);
  expect([status, body.schemas]).toEqual([200, ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]]);
  expect(body.totalResults).toBe(body.Resources.length);
  return body.Resources;
}

const operations = (...Operations: object[]) => ({ schemas: [PATCH], Operations });

test("Entra ID: the connection's test, a user's life, and a group's", async () => {
  const entra = await createDirectoryFixture(web, "of-entra");
  const { scim } = entra;
  // Testing the connection asks for a user who is surely not there.
  expect(await find(entra, "/Users", 'userName eq "6f7a1f52-3c09-4a50-b2ab-6f1a3b2e9d10"')).toEqual([]);

  const created = await scim("POST", "/Users", {
    schemas: [USER, ENTERPRISE],
    externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    userName: "Test_User_ab6490ee@acme.example",
    active: true,
    addresses: [{ primary: false, type: "work", country: "Germany", formatted: "X" }],
    displayName: "lennay",
    emails: [
      { type: "work", value: "Test_User_fd0ea19b@acme.example", primary: true },
      { type: "home", value: "Test_User_home@acme.example" },
    ],
    meta: { resourceType: "User" },
    name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
    roles: [],
    phoneNumbers: [{ type: "work", value: "6205" }],
    [ENTERPRISE]: { department: "bob", manager: { value: "SuzzyQ" } },
  });
  expect(created.status).toBe(201);
  const { id } = created.body;
  expect(created.body).toMatchObject({
    userName: "test_user_ab6490ee@acme.example",
    displayName: "lennay",
    active: true,
  });
  expect(await find(entra, "/Users", 'userName eq "Test_User_ab6490ee@acme.example"')).toHaveLength(1);
  expect(await find(entra, "/Users", 'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"')).toHaveLength(1);
  await acceptInvitation(web, entra.own, "test_user_ab6490ee@acme.example");

  const updated = await scim(
    "PATCH",
    `/Users/${id}`,
    operations(
      { op: "Replace", path: 'emails[type eq "work"].value', value: "updatedEmail@acme.example" },
      { op: "Replace", path: "name.familyName", value: "updatedFamilyName" },
      { op: "Add", path: `${ENTERPRISE}:department`, value: "7" },
      { op: "Add", path: 'phoneNumbers[type eq "work"].value', value: "8064" },
    ),
  );
  expect([updated.status, updated.body.name.familyName]).toEqual([200, "updatedFamilyName"]);
  const disabled = await scim(
    "PATCH",
    `/Users/${id}`,
    operations({ op: "Replace", path: "active", value: "False" }),
  );
  expect([disabled.status, disabled.body.active]).toEqual([200, false]);
  // A disabled user is found still.
  expect((await find(entra, "/Users", 'userName eq "test_user_ab6490ee@acme.example"'))[0].active).toBe(
    false,
  );
  const enabled = await scim(
    "PATCH",
    `/Users/${id}`,
    operations({ op: "Replace", path: "active", value: "True" }),
  );
  expect(enabled.body.active).toBe(true);

  const group = await scim("POST", "/Groups", {
    schemas: [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
    externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
    displayName: "displayName",
    meta: { resourceType: "Group" },
  });
  expect([group.status, group.body.members]).toEqual([201, []]);
  const groupPath = `/Groups/${group.body.id}`;
  const short = await scim("GET", `${groupPath}?excludedAttributes=members`);
  expect(short.body).not.toHaveProperty("members");
  expect(
    await find(entra, "/Groups", 'displayName eq "displayName"', "&excludedAttributes=members"),
  ).toHaveLength(1);
  const renamed = await scim(
    "PATCH",
    groupPath,
    operations({
      op: "Replace",
      path: "displayName",
      value: "1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName",
    }),
  );
  expect([renamed.status, renamed.body]).toEqual([204, null]);
  const added = await scim(
    "PATCH",
    groupPath,
    operations({ op: "Add", path: "members", value: [{ $ref: null, value: id }] }),
  );
  expect(added.status).toBe(204);
  const isMember = `id eq "${group.body.id}" and members eq "${id}"`;
  expect(await find(entra, "/Groups", isMember, "&excludedAttributes=members")).toHaveLength(1);
  const removed = await scim(
    "PATCH",
    groupPath,
    operations({ op: "Remove", path: "members", value: [{ $ref: null, value: id }] }),
  );
  expect(removed.status).toBe(204);
  expect(await find(entra, "/Groups", isMember)).toEqual([]);
  for (const path of [groupPath, `/Users/${id}`]) {
    expect((await scim("DELETE", path)).status).toBe(204);
    expect((await scim("GET", path)).status).toBe(404);
  }
});

test("Okta: import, assignment, profile updates, deactivation, and group push", async () => {
  const okta = await createDirectoryFixture(web, "of-okta");
  const { scim } = okta;
  expect((await scim("GET", "/Users?startIndex=1&count=2")).body).toMatchObject({
    totalResults: 1,
    startIndex: 1,
  });
  const byName = encodeURIComponent('userName eq "test.user@okta.local"');
  const none = await scim("GET", `/Users?filter=${byName}&startIndex=1&count=100`);
  expect([none.status, none.body.totalResults]).toEqual([200, 0]);

  const created = await scim("POST", "/Users", {
    schemas: [USER],
    userName: "test.user@okta.local",
    name: { givenName: "Test", familyName: "User" },
    emails: [{ primary: true, value: "test.user@okta.local", type: "work" }],
    displayName: "Test User",
    locale: "en-US",
    externalId: "00ujl29u0le5T6Aj10h7",
    groups: [],
    password: "1mz050nq",
    active: true,
  });
  expect(created.status).toBe(201);
  expect(JSON.stringify(created.body)).not.toContain("1mz050nq");
  const { id } = created.body;
  await acceptInvitation(web, okta.own, "test.user@okta.local");

  const read = (await scim("GET", `/Users/${id}`)).body;
  const replaced = await scim("PUT", `/Users/${id}`, {
    ...read,
    name: { givenName: "Another", middleName: "Excited", familyName: "User" },
    displayName: "Another User",
  });
  expect([replaced.status, replaced.body.displayName, replaced.body.active]).toEqual([
    200,
    "Another User",
    true,
  ]);
  const off = await scim("PATCH", `/Users/${id}`, operations({ op: "replace", value: { active: false } }));
  expect([off.status, off.body.active]).toEqual([200, false]);
  // Older integrations deactivate by PUT, and bring back the same way.
  for (const active of [true, false, true])
    expect((await scim("PUT", `/Users/${id}`, { ...read, active })).body.active).toBe(active);

  const group = await scim("POST", "/Groups", {
    schemas: [GROUP],
    displayName: "Test SCIMv2",
    members: [{ value: id, display: "test.user@okta.local" }],
  });
  expect(group.status).toBe(201);
  const path = `/Groups/${group.body.id}`;
  const named = await scim(
    "PATCH",
    path,
    operations({ op: "replace", value: { id: group.body.id, displayName: "Test SCIMv2 renamed" } }),
  );
  expect(named.status).toBe(204);
  const swapped = await scim(
    "PATCH",
    path,
    operations(
      { op: "remove", path: `members[value eq "${id}"]` },
      { op: "add", path: "members", value: [{ value: okta.owner.memberId, display: "olga" }] },
    ),
  );
  expect(swapped.status).toBe(204);
  const [member] = (await scim("GET", path)).body.members;
  expect(member.value).toBe(okta.owner.memberId);
  const whole = await scim("PUT", path, {
    schemas: [GROUP],
    id: group.body.id,
    displayName: "Test SCIMv2",
    members: [{ value: id, display: "test.user@okta.local" }],
  });
  expect([whole.status, whole.body.members.length]).toEqual([200, 1]);
  expect((await scim("GET", "/Groups?startIndex=1&count=100")).body.totalResults).toBe(1);
  expect((await scim("DELETE", path)).status).toBe(204);
});
