/** An organization with people and keys of every role, and things of every kind. */

import { ROLES, type Role } from "../../lib/access/roles.ts";
import { withClient } from "../../scripts/database/roles.ts";
import type { TestWeb } from "../web.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import type { Kind } from "./kinds.ts";
import type { Operation } from "./operations.ts";
import { type Things, thingsOf } from "./things.ts";

export interface Credential {
  cookie?: string;
  key?: string;
}
export interface TenantFixture {
  organizationId: string;
  /** A word that stands in the texts of its rows and nowhere else. */
  canary: string;
  people: Record<Role, { cookie: string; userId: string; memberId: string }>;
  keys: Record<Role, string>;
  /** New things that belong together; personal ones belong to that role's person. */
  things(role: Role, operation?: Operation): Things;
}

export async function createTenantFixture(web: TestWeb, slug: string): Promise<TenantFixture> {
  const canary = `canary-of-${slug}`;
  const organizationId = await web.organization(slug);
  const people = {} as TenantFixture["people"];
  const keys = {} as TenantFixture["keys"];
  for (const role of ROLES) {
    people[role] = await web.member(organizationId, `${role} ${canary}`, role);
    keys[role] = await web.key(organizationId, role);
  }
  const owner = { web, organizationId, slug, canary };
  const shared = thingsOf({ ...owner, ...people.owner });
  return {
    organizationId,
    canary,
    people,
    keys,
    things: (role, operation) =>
      thingsOf({
        ...owner,
        ...people[role],
        taskState: operation && EXCEPTIONS[operation.name]?.taskState,
        // A call that names no server leaves it.
        serverOf:
          operation && !operation.slots.some(({ kind }) => ENDS_SERVER.has(kind)) ? shared : undefined,
      }),
  };
}

/** The kinds of things whose calls may change or end their server. */
const ENDS_SERVER: ReadonlySet<Kind> = new Set(["server", "connection"]);

let spent = 0;

/** Returns `tenant`, or a new one like it for a call that leaves nothing for later ones. */
export async function tenantFor(
  web: TestWeb,
  tenant: TenantFixture,
  { name }: Operation,
): Promise<TenantFixture> {
  if (!EXCEPTIONS[name]?.spends) return tenant;
  spent++;
  return createTenantFixture(web, `spent-${spent}`);
}

export const CREDENTIAL_KINDS = ["session", "key"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

export function credentialOf({ people, keys }: TenantFixture, role: Role, kind: CredentialKind): Credential {
  return kind === "session" ? { cookie: people[role].cookie } : { key: keys[role] };
}

export const DEAD_CREDENTIALS = [
  "nothing",
  "a key that never was",
  "a revoked key",
  "a key of a member who was removed",
  "a session of a member who was removed",
  "a session that has ended",
  "a cookie that is none",
] as const;

/** Credentials that are not or no longer valid. */
export async function deadCredentials(
  web: TestWeb,
  tenant: TenantFixture,
): Promise<Record<(typeof DEAD_CREDENTIALS)[number], Credential>> {
  const { organizationId, people } = tenant;
  const owner = people.owner;
  const call = (method: "POST" | "DELETE", path: string, who: Credential, body?: object) =>
    web.call(method, `/api/v1${path}`, { ...who, ...(body && { body }) });
  const revoked = (await call("POST", "/api-keys", owner, { name: "revoked", role: "owner" })).body;
  await call("DELETE", `/api-keys/${revoked.id}`, owner);

  const leaver = await web.member(organizationId, "Leaver", "owner");
  const left = (await call("POST", "/api-keys", leaver, { name: "leaver's", role: "owner" })).body;
  await call("DELETE", `/members/${leaver.memberId}`, owner);

  const goer = await web.member(organizationId, "Goer", "owner");
  await withClient(web.database.adminUrl, (client) =>
    client.query("UPDATE session SET revoked_at = now() WHERE user_id = $1", [goer.userId]),
  );
  return {
    nothing: {},
    "a key that never was": { key: "itk_unknown" },
    "a revoked key": { key: revoked.secret },
    "a key of a member who was removed": { key: left.secret },
    "a session of a member who was removed": { cookie: leaver.cookie },
    "a session that has ended": { cookie: goer.cookie },
    "a cookie that is none": { cookie: "next-auth.session-token=x" },
  };
}
