/** The calls of /Users. */
import type { Tx } from "../../base/db/db.ts";
import { inputOf, listPeople, readPerson, toUser } from "../../people/directory/people.ts";
import {
  changePerson,
  createPerson,
  type DirectoryCall,
  type PersonWritten,
  removePerson,
} from "../../people/directory/person-transitions.ts";
import { readPatch } from "../../people/directory/scim/patch.ts";
import { patchPerson, readPersonInput } from "../../people/directory/scim/person-input.ts";
import { revokeAll } from "../../servers/connections/disconnect.ts";
import { directoryMails, mailForDirectory } from "../invite.ts";
import { network, sealing } from "../services.ts";
import { listAnswer, readAsked, refuseOtherVersion, resourceAnswer } from "./query.ts";
import { type ScimAnswer, type ScimCall, scimBase } from "./scim.ts";

export async function listUsers({ query, within }: ScimCall): Promise<ScimAnswer> {
  const asked = readAsked(query);
  const { total, rows } = await within((tx) => listPeople(tx, asked));
  const base = scimBase();
  return listAnswer(
    query,
    asked,
    total,
    rows.map((row) => toUser(row, base)),
  );
}

export async function readUser({ request, query, id, within }: ScimCall): Promise<ScimAnswer> {
  const row = await within((tx) => readPerson(tx, id));
  return resourceAnswer(request, query, toUser(row, scimBase()));
}

export async function createUser(call: ScimCall): Promise<ScimAnswer> {
  const input = readPersonInput(await call.body());
  const row = await write(call, (tx, by) => createPerson(tx, by, input));
  return resourceAnswer(call.request, call.query, toUser(row, scimBase()), 201);
}

export async function replaceUser(call: ScimCall): Promise<ScimAnswer> {
  const body = await call.body();
  const row = await write(call, (tx, by) =>
    changePerson(tx, by, call.id, (before) => {
      refuseOtherVersion(call.request, toUser(before, scimBase()));
      return readPersonInput(body, before.active);
    }),
  );
  return resourceAnswer(call.request, call.query, toUser(row, scimBase()));
}

export async function patchUser(call: ScimCall): Promise<ScimAnswer> {
  const operations = readPatch(await call.body());
  const row = await write(call, (tx, by) =>
    changePerson(tx, by, call.id, (before) => {
      refuseOtherVersion(call.request, toUser(before, scimBase()));
      return patchPerson(inputOf(before), operations);
    }),
  );
  return resourceAnswer(call.request, call.query, toUser(row, scimBase()));
}

export async function deleteUser(call: ScimCall): Promise<ScimAnswer> {
  const by = callOf(call);
  const written = await call.within((tx) =>
    removePerson(tx, by, call.id, (before) => refuseOtherVersion(call.request, toUser(before, scimBase()))),
  );
  await after(call, written);
  return { status: 204 };
}

/** Returns the person as they are afterwards. */
async function write(call: ScimCall, work: (tx: Tx, by: DirectoryCall) => Promise<PersonWritten>) {
  const by = callOf(call);
  const { written, row } = await call.within(async (tx) => {
    const written = await work(tx, by);
    return { written, row: await readPerson(tx, written.id) };
  });
  await after(call, written);
  return row;
}

function callOf({ principal }: ScimCall): DirectoryCall {
  return { principal, seal: sealing(), mailed: directoryMails() };
}

/** What needs no transaction: grants end at their servers, and an invitation goes out. */
async function after({ principal }: ScimCall, { forgotten, invitation }: PersonWritten): Promise<void> {
  if (forgotten.length > 0) await revokeAll(network(), forgotten);
  if (invitation) await mailForDirectory(principal.organizationId, invitation);
}
