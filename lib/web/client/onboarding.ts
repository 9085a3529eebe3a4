import { useQuery } from "@tanstack/react-query";
import type { Onboarding } from "@/lib/people/onboarding/onboarding.ts";
import type { SandboxState } from "@/lib/people/sandbox/sandbox.ts";
import { reading } from "@/lib/web/client/base/reading.ts";

export const onboardingKey = ["onboarding"] as const;

function onboarding() {
  return reading<Onboarding>(onboardingKey, "/api/v1/onboarding", {
    // The layout loads the steps for those who may take them. Refetched until every step is done or skipped.
    enabled: ({ state }) => state.data !== undefined && !isOver(state.data),
  });
}

/** Whether there is a sandbox organization; looked at often while it is made. */
export function sandbox(enabled: boolean) {
  return reading<SandboxState>(["sandbox"], "/api/v1/sandbox", {
    enabled,
    refetchInterval: ({ state }) => (state.data?.state === "preparing" ? 1_000 : false),
  });
}

/** The organization's first steps; undefined for a person who may not take them. */
export function useFirstSteps(): { steps: Onboarding; over: boolean; left: number } | undefined {
  const { data } = useQuery(onboarding());
  if (!data) return undefined;
  const left = Object.values(data).filter((state) => state === "open").length;
  return { steps: data, over: isOver(data), left };
}

/** Whether every step is done or skipped. */
function isOver(onboarding: Onboarding): boolean {
  return Object.values(onboarding).every((state) => state !== "open");
}
