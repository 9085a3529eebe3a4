import type { Role } from "../../access/roles.ts";
import { Prisma } from "../../base/db/db.ts";
import { readSignInPolicy } from "../../people/organizations/sign-in/sign-in-reads.ts";
import type { RefusalKind } from "../../people/organizations/sign-in/sign-in-schema.ts";
import { signInRefused } from "../../people/organizations/sign-in/sign-in-status.ts";
import { database } from "../database.ts";
import { namedProviders } from "./sign-in/offered.ts";

interface Invited {
  organizationId: string;
  organizationName: string;
  role: Role;
}

/**
 * Throws what the organization of an invitation asks for where a session, or null: a new password, would not be let in.
 * Two-step sign-in is no condition: whoever joins is led to set it up.
 */
export async function refuseForeignSignIn(sessionId: string | null, invited: Invited): Promise<void> {
  const { organizationId } = invited;
  const db = await database();
  const { providers } = await db.withOrganization(organizationId, (tx) => readSignInPolicy(tx));
  const kind = async (): Promise<RefusalKind | null> => {
    if (sessionId === null) return providers.length > 0 ? "provider" : null;
    const [row] = await db.gate<{ refusal: RefusalKind | null }>(
      Prisma.sql`SELECT gate.refusal_of(${sessionId}::uuid, ${organizationId}::uuid, ${invited.role}) AS refusal`,
    );
    return row?.refusal ?? null;
  };
  const refusal = await kind();
  if (refusal !== null && refusal !== "second_factor")
    throw signInRefused(refusal, invited.organizationName, await namedProviders(providers));
}
