/** The calls of /Groups. */
import { changeGroup, createGroup, removeGroup } from "../../people/directory/group-transitions.ts";
import { listGroups, readGroup, toGroup } from "../../people/directory/groups.ts";
import { patchGroup, readGroupInput } from "../../people/directory/scim/group-input.ts";
import { readPatch } from "../../people/directory/scim/patch.ts";
import { isAsked, listAnswer, readAsked, refuseOtherVersion, resourceAnswer } from "./query.ts";
import { type ScimAnswer, type ScimCall, scimBase } from "./scim.ts";

export async function listAllGroups({ query, within }: ScimCall): Promise<ScimAnswer> {
  const asked = readAsked(query);
  const withMembers = isAsked(query, "members");
  const { total, rows } = await within((tx) => listGroups(tx, { ...asked, withMembers }));
  const base = scimBase();
  return listAnswer(
    query,
    asked,
    total,
    rows.map((row) => toGroup(row, base)),
  );
}

export async function readOneGroup({ request, query, id, within }: ScimCall): Promise<ScimAnswer> {
  const withMembers = isAsked(query, "members");
  const row = await within((tx) => readGroup(tx, id, withMembers));
  return resourceAnswer(request, query, toGroup(row, scimBase()));
}

export async function createOneGroup(call: ScimCall): Promise<ScimAnswer> {
  const input = readGroupInput(await call.body());
  const row = await call.within(async (tx) => readGroup(tx, await createGroup(tx, call.principal, input)));
  return resourceAnswer(call.request, call.query, toGroup(row, scimBase()), 201);
}

export async function replaceGroup(call: ScimCall): Promise<ScimAnswer> {
  const input = readGroupInput(await call.body());
  const row = await call.within(async (tx) => {
    await changeGroup(tx, call.principal, call.id, (before) => {
      refuseOtherVersion(call.request, toGroup(before, scimBase()));
      return input;
    });
    return readGroup(tx, call.id);
  });
  return resourceAnswer(call.request, call.query, toGroup(row, scimBase()));
}

/** Without a body, unless attributes are named: Entra expects none, and a group has thousands of members. */
export async function patchOneGroup(call: ScimCall): Promise<ScimAnswer> {
  const input = patchGroup(readPatch(await call.body()));
  const isNamed = call.query.has("attributes");
  const row = await call.within(async (tx) => {
    await changeGroup(tx, call.principal, call.id, (before) => {
      refuseOtherVersion(call.request, toGroup(before, scimBase()));
      return input;
    });
    return readGroup(tx, call.id, isNamed);
  });
  const group = toGroup(row, scimBase());
  if (isNamed) return resourceAnswer(call.request, call.query, group);
  return { status: 204, headers: { etag: group.meta.version } };
}

export async function deleteGroup(call: ScimCall): Promise<ScimAnswer> {
  await call.within((tx) =>
    removeGroup(tx, call.principal, call.id, (before) =>
      refuseOtherVersion(call.request, toGroup(before, scimBase())),
    ),
  );
  return { status: 204 };
}
