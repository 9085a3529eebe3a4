import {
  onboardingSchema,
  readOnboarding,
  skipStep,
  skipStepSchema,
} from "@/lib/people/onboarding/onboarding.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "members:manage",
      summary: "Which of the organization's first steps are done, skipped or open",
      output: onboardingSchema,
    },
    ({ caller }) => within(caller, readOnboarding),
  ),
  PATCH: tenantRoute(
    {
      auth: "members:manage",
      summary: "Skip one of the first steps, or undo that",
      body: skipStepSchema,
      output: onboardingSchema,
    },
    async (tx, { body }) => {
      await skipStep(tx, body);
      return readOnboarding(tx);
    },
  ),
});
