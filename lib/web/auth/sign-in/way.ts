import { Prisma } from "../../../base/db/db.ts";
import type { NamedProvider } from "../../../people/organizations/sign-in/sign-in-schema.ts";
import { database } from "../../database.ts";
import { namedProviders } from "./offered.ts";

/**
 * The providers that addresses of a verified domain sign in through, and the organization that asks for it. Looks at the
 * domain alone, so that neither the answer nor its time depends on who has an account.
 */
export async function wayOf(
  email: string,
): Promise<{ organizationId: string | null; providers: NamedProvider[] }> {
  const db = await database();
  const [row] = await db.gate<{ organization_id: string; providers: string[] }>(
    Prisma.sql`SELECT * FROM gate.providers_of_domain(${email.slice(email.lastIndexOf("@") + 1)})`,
  );
  return {
    organizationId: row?.organization_id ?? null,
    providers: await namedProviders(row?.providers ?? []),
  };
}
