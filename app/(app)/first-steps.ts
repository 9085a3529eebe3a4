import { onboardingKey } from "@/components/api/onboarding.ts";
import type { ReadAlready } from "@/components/api/provider.tsx";
import { may } from "@/lib/members/permissions.ts";
import type { Role } from "@/lib/members/roles.ts";
import { readOnboarding } from "@/lib/onboarding/queries.ts";
import { readForPage } from "@/lib/web/read-for-page.ts";

/** Where the organization stands with its first steps, asked once a page and for who can take them. */
export async function readFirstSteps(role: Role): Promise<ReadAlready> {
  if (!may(role, "members:manage")) return [];
  return [[onboardingKey, await readForPage(readOnboarding)]];
}
