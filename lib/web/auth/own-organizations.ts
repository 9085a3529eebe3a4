import { organizationsOf } from "../../people/organizations/organization-reads.ts";
import type { ListedOrganization } from "../../people/organizations/organization-schema.ts";
import { database } from "../database.ts";
import { namedProviders } from "./sign-in/offered.ts";

/** The organizations of a session's person, also those that do not let the session in, with what they ask for. */
export async function organizationsOfSession(sessionId: string): Promise<ListedOrganization[]> {
  const organizations = await organizationsOf(await database(), sessionId);
  return Promise.all(
    organizations.map(async ({ providers, ...rest }) => ({
      ...rest,
      providers: rest.refusal === null ? [] : await namedProviders(providers),
    })),
  );
}
