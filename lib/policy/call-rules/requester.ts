/** With which role a call counts that is judged again for who asked for it. */
import { roleSchema } from "../../access/access-schema.ts";
import { type Role, weakerRole } from "../../access/roles.ts";
import { MEMBER_ROLE } from "../../agents/agent-reads.ts";
import { Prisma } from "../../base/db/db.ts";
import { ACCOUNT_ROLE } from "../../people/api-keys/api-key-reads.ts";

export interface RolesOfRequester {
  role: string | null;
  /** Of the person or account behind an agent or a key, and bounds it. */
  boundRole: string | null;
}

/** SQL: the columns of `RolesOfRequester` for the task `t`, as they are now. */
export const ROLES_OF_REQUESTER = Prisma.sql`CASE t.requested_by ->> 'kind'
    WHEN 'agent' THEN (SELECT a.role FROM agent_credential a
      WHERE a.organization_id = t.organization_id AND a.id = t.agent_id)
    WHEN 'key' THEN (SELECT k.role FROM api_key k
      WHERE k.organization_id = t.organization_id AND k.id::text = t.requested_by ->> 'id')
    ELSE (SELECT m.role FROM membership m
      WHERE m.organization_id = t.organization_id AND m.user_id = t.requester_user_id) END AS role,
  CASE t.requested_by ->> 'kind'
    WHEN 'agent' THEN (SELECT ${MEMBER_ROLE} FROM agent_credential a
      WHERE a.organization_id = t.organization_id AND a.id = t.agent_id)
    WHEN 'key' THEN (SELECT ${ACCOUNT_ROLE} FROM api_key k
      WHERE k.organization_id = t.organization_id AND k.id::text = t.requested_by ->> 'id') END AS "boundRole"`;

/** A requester who no longer exists counts as viewer. */
export function roleOfRequester({ role, boundRole }: RolesOfRequester): Role {
  const known = roleSchema.catch("viewer");
  return weakerRole(known.parse(role), known.parse(boundRole ?? role));
}
