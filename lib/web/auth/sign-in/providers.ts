/**
 * The operator's OpenID Connect providers: one from OIDC_ISSUER and its companions, more from the file at
 * INTRAY_SIGN_IN_FILE. Client secrets stay there.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { roleSchema } from "../../../access/access-schema.ts";
import { Prisma, type Tx } from "../../../base/db/db.ts";
import { ConfigurationError, type Environment, env } from "../../../base/env.ts";
import { isLoopbackHost } from "../../../base/network/address.ts";
import { checkOperatorUrl, NetworkError } from "../../../base/network/address-rules.ts";
import { onePerProcess } from "../../../base/process/process-wide.ts";
import type { IdentityPolicy } from "../../../people/accounts/identities.ts";
import type { NamedProvider } from "../../../people/organizations/sign-in/sign-in-schema.ts";
import { issuerOf, listSamlProviderNames, nameOfProvider } from "../../../people/saml/saml-reads.ts";
import { SLUG } from "../../../text/slug.ts";
import { database } from "../../database.ts";

export interface SignInProvider extends IdentityPolicy {
  clientId: string;
  /** Never logged, stored or shown. */
  clientSecret: string;
}

export interface SignInSettings {
  /** Whether people may sign in with a password of Intray's. */
  passwords: boolean;
  /** In the order of the page. */
  providers: SignInProvider[];
}

/** The settings as read at the first call. Throws ConfigurationError: one sentence, and never a value. */
export const signInSettings = onePerProcess("sign-in settings", () => readSettings(env()));

export function readSettings(
  environment: Pick<
    Environment,
    "signInFile" | "oidcIssuer" | "oidcClientId" | "oidcClientSecret" | "oidcTrustedDomains" | "allowHosts"
  >,
): SignInSettings {
  const { signInFile, oidcIssuer, oidcClientId, oidcClientSecret, oidcTrustedDomains, allowHosts } =
    environment;
  const file = signInFile === undefined ? fileSchema.parse({ providers: [] }) : parseFile(read(signInFile));
  const set = [oidcIssuer, oidcClientId, oidcClientSecret].filter((value) => value !== undefined).length;
  if (set !== 0 && set !== 3)
    throw new ConfigurationError("OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together.");
  const own = oidcIssuer
    ? [
        providerSchema.parse({
          id: "oidc",
          name: "single sign-on",
          issuer: oidcIssuer,
          clientId: oidcClientId,
          clientSecret: oidcClientSecret,
          linkByEmail: true,
          trustedDomains: oidcTrustedDomains,
        }),
      ]
    : [];
  const providers = [...own, ...file.providers];
  for (const { id, issuer } of providers) refuseIssuer(id, issuer, allowHosts);
  const ids = new Set(providers.map((provider) => provider.id));
  if (ids.size !== providers.length) throw wrong("two providers have the same id");
  if (!file.passwords && providers.length === 0)
    throw wrong("without passwords there must be a provider to sign in with");
  return { passwords: file.passwords, providers };
}

/** Provider ids that our own sign-in methods use. */
const TAKEN = ["password", "code", "passkey", "demo"];

const domains = z.array(z.string().trim().toLowerCase().min(1));

const providerSchema = z
  .strictObject({
    /** In addresses: the provider must know `/api/auth/callback/<id>`. */
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, "must be lower-case letters, digits and dashes")
      .refine((id) => !TAKEN.includes(id), "is a name of Intray's own"),
    /** On the button, after “Sign in with”. */
    name: z.string().trim().min(1).max(40),
    issuer: z.url({ protocol: /^https?$/ }),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1),
    allowedDomains: domains.default([]),
    trustedDomains: domains.optional(),
    linkByEmail: z.boolean().default(false),
    createAccounts: z.boolean().default(false),
    groupsClaim: z.string().min(1).default("groups"),
    groups: z
      .array(
        z.strictObject({
          claim: z.string().min(1),
          organization: z.string().regex(SLUG, "is no slug of an organization"),
          role: roleSchema,
        }),
      )
      .default([]),
  })
  // Who may sign in by the domain alone is who the operator takes the provider's word for.
  .transform((provider) => ({
    ...provider,
    trustedDomains: provider.trustedDomains ?? provider.allowedDomains,
  }));

const fileSchema = z.strictObject({
  passwords: z.boolean().default(true),
  providers: z.array(providerSchema),
});

/** Throws a ConfigurationError that names the place in the file and the fault. */
function parseFile(text: string): z.infer<typeof fileSchema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The error's message quotes the text, secrets and all.
    const [where] = /line \d+ column \d+/.exec((error as Error).message) ?? [];
    throw wrong(`is not JSON${where ? ` (${where})` : ""}`);
  }
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong([issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw wrong(`can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Requires https; allows http on this machine and on hosts that the operator allowed. */
function refuseIssuer(id: string, issuer: string, allowHosts: string[]): void {
  const { protocol, host, hostname } = new URL(issuer);
  if (
    protocol !== "https:" &&
    !isLoopbackHost(host) &&
    !allowHosts.some((one) => one === host || one === hostname)
  )
    throw new ConfigurationError(
      `The issuer of the sign-in provider "${id}" must be https, or a host of INTRAY_ALLOW_HOSTS.`,
    );
  try {
    checkOperatorUrl(issuer);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new ConfigurationError(`The issuer of the sign-in provider "${id}" is no address to talk to.`);
  }
}

function wrong(what: string): ConfigurationError {
  return new ConfigurationError(`INTRAY_SIGN_IN_FILE: ${what}.`);
}

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
