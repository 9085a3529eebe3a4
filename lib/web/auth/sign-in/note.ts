/** Notes each sign-in that succeeded or failed: a line in the log, and a figure without a tenant. */

import { need } from "../../../base/env.ts";
import { log } from "../../../base/log.ts";
import { accountMark } from "../../../people/accounts/tries.ts";
import { countSignIn } from "../../http/metrics.ts";
import type { Origin } from "../origin.ts";

/** How somebody signs in. `code` is of an app. */
export type SignInKind = "password" | "code" | "recovery_code" | "passkey" | "provider" | "demo";

/**
 * `half`: the password was right, and a code is asked for. `wrong`: password, code or passkey. `refused`: proven, and
 * not let in. `paused`: too many tries before. `failed`: no fault of theirs.
 */
export type SignInOutcome = "succeeded" | "half" | "wrong" | "refused" | "paused" | "failed";

/** `email`: what was given as address, of which the log gets a mark alone. */
export function noteSignIn(
  { network }: Pick<Origin, "network">,
  kind: SignInKind,
  outcome: SignInOutcome,
  more: { userId?: string | null; email?: string; provider?: string; reason?: string } = {},
): void {
  countSignIn(kind, outcome);
  const { email, userId, ...rest } = more;
  log.info(
    {
      kind,
      outcome,
      network,
      ...(userId && { userId }),
      ...(email !== undefined && { account: accountMark(need("authSecret"), email) }),
      ...rest,
    },
    outcome === "succeeded" ? "signed in" : "not signed in",
  );
}
