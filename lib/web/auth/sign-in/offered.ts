import type { Tx } from "../../../base/db/db.ts";
import type { NamedProvider } from "../../../people/organizations/sign-in/sign-in-schema.ts";
import { issuerOf, listSamlProviderNames, nameOfProvider } from "../../../people/saml/saml-reads.ts";
import { database } from "../../database.ts";
import { signInSettings } from "./providers.ts";

/** The providers that an organization can require: the operator's, and its own. */
export async function offeredProviders(tx: Tx): Promise<NamedProvider[]> {
  const own = await listSamlProviderNames(tx);
  return [
    ...signInSettings().providers.map(({ id, name }) => ({ id, name })),
    ...own.map(({ id, name }) => ({ id: issuerOf(id), name })),
  ];
}

/** The names of providers, in the order of the ids. One that is not set up any more goes by its id, or as "SAML". */
export async function namedProviders(ids: readonly string[]): Promise<NamedProvider[]> {
  const { providers } = signInSettings();
  return Promise.all(
    ids.map(async (id) => {
      const own = /^saml:(.+)$/.exec(id)?.[1];
      const name = own
        ? await nameOfProvider(await database(), own)
        : providers.find((provider) => provider.id === id)?.name;
      return { id, name: name ?? (own ? "SAML" : id) };
    }),
  );
}
