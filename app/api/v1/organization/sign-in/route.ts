import { readSignInPolicy, setSignInPolicy } from "@/lib/people/organizations/sign-in/sign-in-policy.ts";
import {
  shownSignInPolicySchema,
  signInPolicySchema,
} from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { offeredProviders } from "@/lib/web/auth/sign-in/providers.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "settings:manage",
      summary: "The organization's requirements for signing in, and the providers that it can require",
      output: shownSignInPolicySchema,
    },
    async (tx) => ({
      ...(await readSignInPolicy(tx)),
      offered: await offeredProviders(tx),
    }),
  ),
  PUT: tenantRoute(
    {
      auth: "owners:manage",
      stepUp: true,
      summary:
        "Set the organization's requirements for signing in, also for open sessions. Your own session has to meet them; sessions only",
      body: signInPolicySchema,
      output: shownSignInPolicySchema,
      errors: ["would_lock_out"],
    },
    async (tx, { principal, caller, body }) => {
      const offered = await offeredProviders(tx);
      await setSignInPolicy(tx, principal, caller.sessionId, offered, body);
      return { ...(await readSignInPolicy(tx)), offered };
    },
  ),
});
