/**
 * What a directory does to people (docs/decisions/042). It writes no account. A person that it adds is invited, and a
 * person that it deactivates is suspended. It never reads an account's name, address or other organizations.
 */
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import type { Forgotten } from "../../servers/connections/disconnect.ts";
import { createInvitation, revokeInvitation } from "../invitations/invitation-writes.ts";
import { reinstateMember, suspendMember } from "../members/member-writes.ts";
import { isVerifiedDomain } from "../organizations/domains/domain-reads.ts";
import { lockDirectory } from "./directory-writes.ts";
import { inputOf, type PersonRow, peopleOf, readPerson } from "./people.ts";
import { applyRoles } from "./roles.ts";
import { ScimError } from "./scim/error.ts";
import type { PersonInput } from "./scim/person-input.ts";

/** What is left to do after the commit. */
export interface PersonWritten {
  id: string;
  /** The invitation to mail to the person's address; null if none was made. */
  invitation: { id: string; token: string } | null;
  /** To be given to `revokeAll`. */
  forgotten: Forgotten[];
}

/** A directory that calls: its principal, and whether invitations that it makes are mailed. */
export interface DirectoryCall {
  principal: Principal;
  seal: Seal;
  mailed: boolean;
}

/**
 * Adds a person. They become a member when they accept the invitation, or at once if the organization has proved the
 * address's domain. The membership gets the returned id. No account is read, so the reply and the work do not depend
 * on whether the address has an account elsewhere. Throws `uniqueness`.
 */
export async function createPerson(tx: Tx, call: DirectoryCall, input: PersonInput): Promise<PersonWritten> {
  await holdToken(tx, call.principal);
  await refuseTaken(tx, input.userName, null);
  const back = await findDeleted(tx, input.userName);
  if (back) return bringBack(tx, call, back, input);
  // Deletes the row of somebody who was a member and left.
  await tx.$executeRaw`DELETE FROM directory_person p WHERE p.organization_id = ${tx.organizationId}::uuid
    AND p.user_name = ${input.userName}`;
  const id = uuidv7();
  await tx.directoryPerson.create({
    data: { organizationId: tx.organizationId, id, ...columnsOf(input), active: input.active },
  });
  const invitation = input.active ? await admit(tx, call, id, input) : null;
  return { id, invitation, forgotten: [] };
}

/**
 * Stores what the directory says of a person. Depending on `active`, it suspends, reinstates or invites the person.
 * An account's own address and name stay as they are. `change` reads the stored person and returns the new values.
 * Throws 404, `uniqueness`, and 409 for what a directory may not decide: the last owner, an owner, somebody whom an
 * admin suspended.
 */
export async function changePerson(
  tx: Tx,
  call: DirectoryCall,
  id: string,
  change: (row: PersonRow) => PersonInput,
): Promise<PersonWritten> {
  await holdToken(tx, call.principal);
  await lockPerson(tx, id);
  const row = await readPerson(tx, id);
  const before = inputOf(row);
  const input = change(row);
  const isRenamed = input.userName !== before.userName;
  if (isRenamed) await refuseTaken(tx, input.userName, id);
  if (JSON.stringify({ ...input, active: before.active }) !== JSON.stringify(before))
    await write(tx, row, input);
  if (row.state === "active" || row.state === "suspended") return changeMember(tx, call, row, input.active);
  return changeWaiting(tx, call, row, input, isRenamed);
}

/**
 * Suspends the person and removes them from the directory: the id is unknown from now on. If the directory adds the
 * same userName again, the membership is reinstated. Somebody who has not joined loses the invitation. Throws as
 * `changePerson`.
 */
export async function removePerson(
  tx: Tx,
  call: DirectoryCall,
  id: string,
  judge: (row: PersonRow) => void,
): Promise<PersonWritten> {
  await holdToken(tx, call.principal);
  await lockPerson(tx, id);
  const row = await readPerson(tx, id);
  judge(row);
  if (row.state === "waiting" || row.state === "inactive") {
    await withdraw(tx, call.principal, row.user_name);
    await tx.directoryPerson.deleteMany({ where: { organizationId: tx.organizationId, id } });
    return { id, invitation: null, forgotten: [] };
  }
  const forgotten = row.state === "active" ? await suspend(tx, call, row) : [];
  await write(tx, row, inputOf(row));
  await tx.directoryGroupMember.deleteMany({ where: { organizationId: tx.organizationId, personId: id } });
  await tx.directoryPerson.updateMany({
    where: { organizationId: tx.organizationId, id },
    data: { deletedAt: new Date(), active: false },
  });
  return { id, invitation: null, forgotten };
}

/** Adds a row for members who have none yet, so that groups can hold them. Throws 400 if an id is nobody's. */
export async function adoptPeople(tx: Tx, ids: string[]): Promise<void> {
  const [found] = await tx.$queryRaw<
    { count: bigint }[]
  >`SELECT count(*) AS count FROM ${peopleOf(tx.organizationId)} x
    WHERE x.id = ANY (${ids}::uuid[])`;
  if (Number(found?.count) < new Set(ids).size)
    throw new ScimError(400, "invalidValue", "A member is no user of this directory.");
  await tx.$executeRaw`INSERT INTO directory_person (organization_id, id, user_name, active, joined_at, created_at)
    SELECT ${tx.organizationId}::uuid, x.id, x.user_name, x.active, x.created_at, x.created_at
    FROM ${peopleOf(tx.organizationId)} x WHERE x.id = ANY (${ids}::uuid[]) AND x.state IN ('active', 'suspended')
    ON CONFLICT (organization_id, id) DO NOTHING`;
}

/** Runs the calls of a directory one after the other, and refuses a call whose token was revoked meanwhile. */
export async function holdToken(tx: Tx, { actor }: Principal): Promise<void> {
  const { tokenId } = await lockDirectory(tx);
  if (tokenId === null || tokenId !== actor.id)
    throw new ScimError(401, null, "The directory’s token is not in force.");
}

/** Locks the person's row. If the person is joining just now, this waits until they have joined. */
async function lockPerson(tx: Tx, id: string): Promise<void> {
  await tx.$queryRaw`SELECT FROM directory_person WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid
    FOR UPDATE`;
}

/** Refuses a userName that another person has, or that is a member's address. */
async function refuseTaken(tx: Tx, userName: string, but: string | null): Promise<void> {
  const [taken] = await tx.$queryRaw<{ id: string }[]>`SELECT x.id FROM ${peopleOf(tx.organizationId)} x
    WHERE (x.user_name = ${userName} OR x.address = ${userName}) AND x.id IS DISTINCT FROM ${but}::uuid LIMIT 1`;
  if (taken) throw new ScimError(409, "uniqueness", "There is a user of this userName.");
}

/** A person whom the directory deleted and whose membership is still suspended. */
async function findDeleted(tx: Tx, userName: string): Promise<string | null> {
  const [row] = await tx.$queryRaw<{ id: string }[]>`SELECT p.id FROM directory_person p
    JOIN suspended_member s ON s.organization_id = p.organization_id AND s.id = p.id
    JOIN "user" u ON u.id = s.user_id
    WHERE p.organization_id = ${tx.organizationId}::uuid AND p.deleted_at IS NOT NULL
      AND (p.user_name = ${userName} OR u.email = ${userName})
    ORDER BY u.email = ${userName} DESC LIMIT 1 FOR UPDATE OF p`;
  return row?.id ?? null;
}

async function bringBack(
  tx: Tx,
  call: DirectoryCall,
  id: string,
  input: PersonInput,
): Promise<PersonWritten> {
  await tx.directoryPerson.updateMany({
    where: { organizationId: tx.organizationId, id },
    data: { deletedAt: null },
  });
  const row = await readPerson(tx, id);
  await write(tx, row, input);
  return changeMember(tx, call, row, input.active);
}

async function write(tx: Tx, row: PersonRow, input: PersonInput): Promise<void> {
  const hasJoined = row.state === "active" || row.state === "suspended";
  const values = { ...columnsOf(input), deletedAt: null, updatedAt: new Date() };
  await tx.directoryPerson.upsert({
    where: { organizationId_id: { organizationId: tx.organizationId, id: row.id } },
    create: {
      organizationId: tx.organizationId,
      id: row.id,
      ...values,
      active: row.active,
      joinedAt: hasJoined ? row.created_at : null,
      createdAt: row.created_at,
    },
    update: values,
  });
}

function columnsOf({ userName, externalId, givenName, familyName, formattedName, displayName }: PersonInput) {
  return { userName, externalId, givenName, familyName, formattedName, displayName };
}

/** Suspends or reinstates a member. A suspension by an admin stays. */
async function changeMember(
  tx: Tx,
  call: DirectoryCall,
  row: PersonRow,
  active: boolean,
): Promise<PersonWritten> {
  const { id } = row;
  const isActive = row.state === "active";
  if (active === isActive) return { id, invitation: null, forgotten: [] };
  if (!active) return { id, invitation: null, forgotten: await suspend(tx, call, row) };
  if (row.cause === "admin")
    throw new ScimError(409, null, `An admin suspended ${row.user_name}: an admin brings them back.`);
  await decided(row, () => reinstateMember(tx, call.principal, id));
  await applyRoles(tx, call.principal, [id]);
  return { id, invitation: null, forgotten: [] };
}

function suspend(tx: Tx, call: DirectoryCall, row: PersonRow): Promise<Forgotten[]> {
  return decided(row, () => suspendMember(tx, call.principal, call.seal, row.id, "directory"));
}

/** Says in SCIM what a directory may not decide. */
async function decided<T>(row: PersonRow, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "last_owner")
      throw new ScimError(409, null, `${row.user_name} is the organization’s last owner.`);
    if (error.code === "forbidden")
      throw new ScimError(
        409,
        null,
        `${row.user_name} is an owner. Owners are managed in Intray unless an owner allows otherwise.`,
      );
    throw error;
  }
}

/**
 * Changes somebody who has not joined. The invitation is withdrawn or made by `active`, and made again if the address
 * changes.
 */
async function changeWaiting(
  tx: Tx,
  call: DirectoryCall,
  row: PersonRow,
  input: PersonInput,
  isRenamed: boolean,
): Promise<PersonWritten> {
  const { id } = row;
  const isNew = input.active && (row.state === "inactive" || isRenamed);
  if (isRenamed || (!input.active && row.state === "waiting"))
    await withdraw(tx, call.principal, row.user_name);
  if (input.active !== row.active)
    await tx.directoryPerson.updateMany({
      where: { organizationId: tx.organizationId, id },
      data: { active: input.active, updatedAt: new Date() },
    });
  const invitation = isNew ? await admit(tx, call, id, input) : null;
  return { id, invitation, forgotten: [] };
}

/**
 * Withdraws the open invitation to an address, whoever made it. An owner's invitation stays, because only owners may
 * withdraw it.
 */
async function withdraw(tx: Tx, principal: Principal, email: string): Promise<void> {
  const open = await tx.invitation.findFirst({
    where: {
      organizationId: tx.organizationId,
      email,
      acceptedAt: null,
      revokedAt: null,
      role: { not: "owner" },
    },
  });
  if (open) await revokeInvitation(tx, principal, open.id);
}

/**
 * Invites the person, or makes them a member at once where the organization has proved the domain. Returns the
 * invitation to be mailed, if one was made.
 */
async function admit(
  tx: Tx,
  call: DirectoryCall,
  id: string,
  input: PersonInput,
): Promise<{ id: string; token: string } | null> {
  const { defaultRole, madeBy } = await lockDirectory(tx);
  const role = defaultRole === "approver" ? "approver" : "viewer";
  const email = input.userName;
  const invitedBy = await answering(tx, madeBy);
  if (await isVerifiedDomain(tx, email.slice(email.lastIndexOf("@") + 1))) {
    await joinAtOnce(tx, call.principal, { id, email, name: nameOf(input), role, invitedBy });
    await applyRoles(tx, call.principal, [id]);
    return null;
  }
  const open = await tx.invitation.findFirst({
    where: { organizationId: tx.organizationId, email, acceptedAt: null, revokedAt: null },
  });
  // An open invitation by somebody else is kept if it still works. An expired one is replaced.
  const isOver = open !== null && open.expiresAt <= new Date() && open.role !== "owner";
  if (isOver) await revokeInvitation(tx, call.principal, open.id);
  const made =
    open === null || isOver
      ? await createInvitation(tx, call.principal, { email, role }, { mailed: call.mailed, invitedBy })
      : null;
  await applyRoles(tx, call.principal, [id]);
  return call.mailed ? made : null;
}

/**
 * Makes the person a member without asking them, with the account of an address whose domain belongs to the
 * organization. The maker of the token counts as the person who invited them.
 */
export async function joinAtOnce(
  tx: Tx,
  { actor }: Principal,
  person: { id: string; email: string; name: string; role: string; invitedBy: string | null },
): Promise<void> {
  const { id, email, name, role, invitedBy } = person;
  const [account] = await tx.$queryRaw<
    { id: string }[]
  >`SELECT gate.directory_account(${uuidv7()}::uuid, ${email},
    ${name}) AS id`;
  if (!account) throw new Error("the account was neither made nor found");
  // In the transaction of the membership, which stores who invited the member.
  await tx.$executeRaw`UPDATE invitation SET revoked_at = now() WHERE organization_id = ${tx.organizationId}::uuid
    AND email = ${email} AND accepted_at IS NULL AND revoked_at IS NULL`;
  await tx.$executeRaw`INSERT INTO invitation (organization_id, id, email, role, token_hash, invited_by, expires_at,
      accepted_at)
    VALUES (${tx.organizationId}::uuid, ${uuidv7()}::uuid, ${email}, ${role},
      sha256(${uuidv7()}::text::bytea), ${invitedBy}::uuid, now(), now())`;
  await tx.membership.create({ data: { organizationId: tx.organizationId, id, userId: account.id, role } });
  await publishChange(tx, "member", [id]);
  await appendEvents(tx, [{ type: "member.added", actor, data: { userId: account.id, name, role } }]);
}

/** The maker of the token, if they still have the right to invite. Otherwise null, which means the operator. */
async function answering(tx: Tx, madeBy: string | null): Promise<string | null> {
  if (madeBy === null) return null;
  const maker = await tx.membership.findFirst({
    where: { organizationId: tx.organizationId, userId: madeBy, role: { in: ["owner", "admin"] } },
    select: { userId: true },
  });
  return maker?.userId ?? null;
}

/** The name of a new account. */
function nameOf({ displayName, formattedName, givenName, familyName, userName }: PersonInput): string {
  const joined = [givenName, familyName].filter((part) => part !== null).join(" ");
  const name = displayName ?? formattedName ?? (joined || userName.slice(0, userName.indexOf("@")));
  return name.slice(0, 80);
}
