"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { type ReadAlready, useRead } from "@/components/shell/api-provider.tsx";
import { Page } from "@/components/shell/pages/page.tsx";
import { useTitle } from "@/components/shell/use-title.ts";
import { useZoneKnown } from "@/components/time/use-now.ts";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Link } from "@/components/ui/link.tsx";
import { useFirstSteps } from "@/lib/api-client/onboarding.ts";
import { attentionCounts, overview } from "@/lib/api-client/overview.ts";
import { readRange } from "@/lib/statistics/schema.ts";
import { AutomaticAnswers } from "./automatic-answers.tsx";
import { DecisionChart } from "./decision-chart.tsx";
import { DeliveryChart } from "./delivery-chart.tsx";
import { Engines } from "./engines.tsx";
import { FailedTasks } from "./failed-tasks.tsx";
import { FailureChart } from "./failure-chart.tsx";
import { OldestWaiting } from "./oldest-waiting.tsx";
import { OverviewTiles } from "./overview-tiles.tsx";
import { RangeSwitch } from "./range-switch.tsx";
import { RulesTable } from "./rules-table.tsx";
import { ServersTable } from "./servers-table.tsx";
import { StateChart } from "./state-chart.tsx";
import { Stuck } from "./stuck.tsx";

/** The overview page. Figures cover all tasks; lists only those that the user may see. */
export function OverviewScreen({ read }: { read: ReadAlready }) {
  useRead(useQueryClient(), read);
  const range = readRange(useSearchParams().get("range"));
  const figures = useQuery(overview(range));
  const zoneKnown = useZoneKnown();
  const counts = useQuery(attentionCounts());
  const stuck = counts.data?.attention.stuck;
  const firstSteps = useFirstSteps();
  useTitle(stuck ? `Overview (${stuck} stuck)` : "Overview");
  return (
    <Page title="Overview" actions={<RangeSwitch range={range} />}>
      {firstSteps?.over === false && (
        // On wide screens the navigation has this link.
        <Link
          href="/get-started"
          className="flex min-h-11 items-center rounded-lg border border-line bg-panel px-4 text-accent md:hidden"
        >
          Get started: {firstSteps.left === 1 ? "1 step" : `${firstSteps.left} steps`} left
        </Link>
      )}
      {figures.isError && !figures.data && (
        <LoadFailure what="The figures" error={figures.error} onRetry={() => void figures.refetch()} />
      )}
      {/* The charts show times in the person's zone, which the server does not know. */}
      {(figures.isPending || !zoneKnown) && <Skeleton />}
      {figures.data && zoneKnown && (
        <>
          <OverviewTiles figures={figures.data} stuck={stuck} />
          <Stuck count={stuck} />
          <FailedTasks from={figures.data.from} />
          <div className="grid gap-4 lg:grid-cols-3">
            <StateChart figures={figures.data} className="lg:col-span-2" />
            <DecisionChart figures={figures.data} />
            <OldestWaiting />
            <FailureChart figures={figures.data} />
            <DeliveryChart figures={figures.data} />
          </div>
          <RulesTable figures={figures.data} />
          <AutomaticAnswers figures={figures.data} />
          <ServersTable figures={figures.data} />
          <Engines figures={figures.data} />
        </>
      )}
    </Page>
  );
}

function Skeleton() {
  return (
    <div aria-hidden className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-5">
        {["a", "b", "c", "d", "e"].map((key) => (
          <div key={key} className="skeleton h-[92px]" />
        ))}
      </div>
      <div className="skeleton h-32" />
      <div className="grid gap-4 lg:grid-cols-3">
        <div className="skeleton h-80 lg:col-span-2" />
        <div className="skeleton h-80" />
      </div>
    </div>
  );
}
