import type { Security } from "../../people/accounts/account-schema.ts";
import { listIdentities } from "../../people/accounts/identities.ts";
import { listPasskeys } from "../../people/accounts/passkeys.ts";
import { readPasswordHash } from "../../people/accounts/password.ts";
import { readSecondFactor } from "../../people/accounts/second-factor.ts";
import { database } from "../database.ts";
import { signInSettings } from "./sign-in/providers.ts";

/** The ways in which a person can sign in. */
export async function readSecurity(userId: string): Promise<Security> {
  const db = await database();
  const [hash, factor, passkeys, identities] = await Promise.all([
    readPasswordHash(db, userId),
    readSecondFactor(db, userId),
    listPasskeys(db, userId),
    listIdentities(db, userId),
  ]);
  const { providers } = signInSettings();
  return {
    password: hash !== null,
    secondFactor: {
      active: factor?.confirmed === true,
      recoveryCodesLeft: factor?.confirmed ? factor.recoveryCodesLeft : 0,
      recoveryCodesDated: factor?.confirmed ? factor.recoveryCodesDated : 0,
    },
    passkeys,
    identities: identities
      .filter(({ issuer }) => !issuer.startsWith("saml:"))
      .map(({ issuer, ...rest }) => ({
        provider: providers.find((provider) => provider.issuer === issuer)?.name ?? issuer,
        ...rest,
      })),
  };
}
