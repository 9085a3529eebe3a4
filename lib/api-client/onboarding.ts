import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "@/lib/api-client/base/client.ts";
import type { Onboarding } from "@/lib/onboarding/schema.ts";
import { isOver } from "@/lib/onboarding/status.ts";

export const onboardingKey = ["onboarding"] as const;

function onboarding() {
  return queryOptions({
    queryKey: onboardingKey,
    queryFn: ({ signal }) => api.get<Onboarding>("/api/v1/onboarding", signal),
    // The layout reads it for who may take the steps. It is asked again until nothing is left to do.
    enabled: ({ state }) => state.data !== undefined && !isOver(state.data),
  });
}

/** The organization's first steps; undefined for who may not take them. */
export function useFirstSteps(): { steps: Onboarding; over: boolean; left: number } | undefined {
  const { data } = useQuery(onboarding());
  if (!data) return undefined;
  const left = Object.values(data).filter((state) => state === "open").length;
  return { steps: data, over: isOver(data), left };
}
