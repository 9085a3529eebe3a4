import { organizationsOf } from "../../organizations/queries.ts";
import type { OwnOrganization } from "../../organizations/schema.ts";
import { database } from "../database.ts";
import { staysInOrganization } from "./person.ts";

/** The organizations that a session reaches: its person's, or only the one whose own provider opened it. */
export async function organizationsOfSession(
  userId: string,
  organizationId: string,
  sessionId: string | null,
): Promise<OwnOrganization[]> {
  const all = await organizationsOf(await database(), userId);
  const isConfined = sessionId !== null && (await staysInOrganization(sessionId));
  return isConfined ? all.filter(({ id }) => id === organizationId) : all;
}
