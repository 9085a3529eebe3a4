import { headers } from "next/headers";
import type { Role } from "../../../access/roles.ts";
import { env } from "../../../base/env.ts";
import { database } from "../../database.ts";
import { forPage } from "../../pages/page-failure.ts";
import { demoPeople } from "../demo.ts";
import { setupPossible } from "../setup.ts";
import { signInSettings } from "./providers.ts";

export interface SignInOptions {
  /** Who may come in with one click; empty outside the demonstration. */
  demo: { email: string; name: string; role: Role; organization: string }[];
  /** Who else signs people in, in the order of the page. */
  providers: { id: string; name: string }[];
  /** Whether there can be a password to sign in with. */
  password: boolean;
  /** Whether there can be a passkey: somebody has an account of their own. */
  passkey: boolean;
  /** There is nobody to sign in as: the only way on is /setup. */
  setupNeeded: boolean;
  /** Nobody has set Intray up yet; doing it ends a demonstration. */
  setupPossible: boolean;
  /** There is a token by which it can be set up. */
  setupOpen: boolean;
}

/** What the sign-in page offers to this request. */
export function signInOptions(): Promise<SignInOptions> {
  return forPage(readOptions());
}

async function readOptions(): Promise<SignInOptions> {
  const possible = await setupPossible(await database());
  const settings = signInSettings();
  const people = await demoPeople(await headers());
  return {
    demo: people.map(({ id: _id, ...person }) => person),
    providers: possible ? [] : settings.providers.map(({ id, name }) => ({ id, name })),
    password: !possible && settings.passwords,
    passkey: !possible,
    setupNeeded: possible && people.length === 0,
    setupPossible: possible,
    setupOpen: possible && env().setupToken !== undefined,
  };
}
