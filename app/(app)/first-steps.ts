import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import { may } from "@/lib/access/permissions.ts";
import type { Role } from "@/lib/access/roles.ts";
import { onboardingKey } from "@/lib/api-client/onboarding.ts";
import { readOnboarding } from "@/lib/onboarding/queries.ts";
import { readForPage } from "@/lib/web/pages/read-for-page.ts";

/** Reads the organization's onboarding state once per page, for members who can complete the steps. */
export async function readFirstSteps(role: Role): Promise<ReadAlready> {
  if (!may(role, "members:manage")) return [];
  return [[onboardingKey, await readForPage(readOnboarding)]];
}
