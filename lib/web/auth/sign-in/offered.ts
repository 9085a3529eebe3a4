import type { NamedProvider } from "../../../organizations/sign-in/schema.ts";
import { signInSettings } from "./providers.ts";

/** The providers that an organization can require: the operator's. */
export async function offeredProviders(_organizationId: string): Promise<NamedProvider[]> {
  return namedProviders(signInSettings().providers.map(({ id }) => id));
}

/** The names of providers, in the order of the ids. One that is not set up any more goes by its id. */
export function namedProviders(ids: readonly string[]): NamedProvider[] {
  const { providers } = signInSettings();
  return ids.map((id) => ({
    id,
    name: providers.find((provider) => provider.id === id)?.name ?? (id.startsWith("saml:") ? "SAML" : id),
  }));
}
