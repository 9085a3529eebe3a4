import { headers } from "next/headers";
import type { Role } from "../../../access/roles.ts";
import { env } from "../../../base/env.ts";
import { issuerOf, providersOfSlug } from "../../../people/saml/saml-reads.ts";
import { SLUG } from "../../../text/slug.ts";
import { database } from "../../database.ts";
import { forPage } from "../../pages/page-failure.ts";
import { demoPeople } from "../demo.ts";
import { setupPossible } from "../setup.ts";
import { signInSettings } from "./providers.ts";

export interface SignInOptions {
  /** People to sign in with one click; empty outside the demonstration. */
  demo: { email: string; name: string; role: Role; organization: string }[];
  /** The operator's providers, in the order of the page. */
  providers: { id: string; name: string }[];
  /** Whether signing in with a password is possible. */
  password: boolean;
  /** Whether a link for a forgotten password can be mailed. */
  mailsPasswordLinks: boolean;
  /** Whether signing in with a passkey is possible: somebody has an account of their own. */
  passkey: boolean;
  /** Nobody can sign in yet, so the page leads to /setup. */
  setupNeeded: boolean;
  /** Intray has not been set up yet; setup ends a demonstration. */
  setupPossible: boolean;
  /** The installation has a setup token. */
  setupOpen: boolean;
}

/** The sign-in methods that the page offers for this request. */
export function signInOptions(): Promise<SignInOptions> {
  return forPage(readOptions());
}

/** The SAML providers of the organization of that slug; none for one that is unknown or has none. */
export async function samlProvidersFor(slug: string): Promise<{ id: string; name: string }[]> {
  if (!SLUG.test(slug)) return [];
  const found = await forPage(database().then((db) => providersOfSlug(db, slug)));
  return found.map(({ id, name }) => ({ id: issuerOf(id), name }));
}

async function readOptions(): Promise<SignInOptions> {
  const possible = await setupPossible(await database());
  const settings = signInSettings();
  const people = await demoPeople(await headers());
  return {
    demo: people.map(({ id: _id, ...person }) => person),
    providers: possible ? [] : settings.providers.map(({ id, name }) => ({ id, name })),
    password: !possible && settings.passwords,
    mailsPasswordLinks: env().smtpUrl !== undefined,
    passkey: !possible,
    setupNeeded: possible && people.length === 0,
    setupPossible: possible,
    setupOpen: possible && env().setupToken !== undefined,
  };
}
