"use client";

import { useQuery } from "@tanstack/react-query";
import { Clock } from "@/components/time/time.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { cn } from "@/components/ui/cn.ts";
import {
  drawn,
  PHASE_WORDS,
  type Phase,
  type Stretch,
  stretchesOf,
  stretchWords,
  totals,
} from "@/lib/tasks/words/phases.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { capitalise, plural } from "@/lib/text/labels.ts";
import { taskPhases } from "@/lib/web/client/tasks/task-history.ts";

/** The colour and pattern of each phase, distinguishable without colour. */
const LOOKS: Record<Phase, string> = {
  queued: "border border-edge bg-panel",
  working: "bg-accent",
  waiting: "bg-[repeating-linear-gradient(135deg,var(--wait)_0_5px,var(--wait-soft)_5px_7px)]",
  delivering: "bg-[repeating-linear-gradient(90deg,var(--accent)_0_2px,var(--accent-soft)_2px_5px)]",
  earlier: "border border-edge border-dashed bg-sunken",
};

/** How the task spent its time: as a strip up to now, and as a list. */
export function TaskPhases({ id }: { id: string }) {
  const query = useQuery(taskPhases(id));
  const phases = query.data?.phases;
  const last = phases?.at(-1);
  const now = useNow((now) =>
    last?.to === null && now - Date.parse(last.from) < 3_600_000 ? 1_000 : 30_000,
  );
  // The timeline has the same facts, so a failed read hides only the strip. The skeleton is as high as the strip: buttons
  // below must not move under a press.
  if (!phases) return query.isError ? null : <div aria-hidden className="skeleton h-13 max-md:h-20" />;
  return <Strip stretches={stretchesOf(phases, now)} />;
}

function Strip({ stretches }: { stretches: Stretch[] }) {
  const strip = drawn(stretches);
  const fits = strip.every(
    (each) => each.share * NARROWEST_PX > stretchWords(each).length * LETTER_PX + GAP_PX,
  );
  const live = stretches.at(-1)?.live;
  return (
    <div className="@container flex flex-col gap-1.5 text-xs">
      <div
        role="img"
        aria-label={`Where the time went: ${told(stretches).map(stretchWords).join(", ")}${live ? " so far" : ""}`}
        className="flex h-2 gap-px"
      >
        {strip.map((each) => (
          <span
            key={each.from}
            title={stretchWords(each)}
            style={{ flexGrow: each.share, flexBasis: 0 }}
            className={cn("first:rounded-l-sm last:rounded-r-sm", LOOKS[each.phase], each.live && NOW_EDGE)}
          />
        ))}
      </div>
      {fits && (
        <div aria-hidden className="flex gap-px text-muted @max-[44rem]:hidden">
          {strip.map((each) => (
            <span
              key={each.from}
              style={{ flexGrow: each.share, flexBasis: 0 }}
              className="min-w-0 whitespace-nowrap"
            >
              {stretchWords(each)}
            </span>
          ))}
        </div>
      )}
      <ul aria-hidden className={cn("flex flex-wrap gap-x-4 gap-y-1 text-muted", fits && "@[44rem]:hidden")}>
        {totals(stretches).map((each) => (
          <li key={each.phase} className="inline-flex items-center gap-1.5">
            <span className={cn("h-2 w-3.5 rounded-xs", LOOKS[each.phase])} />
            {stretchWords(each)}
          </li>
        ))}
      </ul>
      <details>
        <summary className="w-fit rounded-sm text-muted hover:text-ink max-md:py-3.5">As a list</summary>
        <PhaseTable stretches={stretches} />
      </details>
    </div>
  );
}

/** Labels fit below a strip of at least this width. */
const NARROWEST_PX = 704;
const LETTER_PX = 6.2;
const GAP_PX = 10;
const NOW_EDGE = "border-r-2 border-r-ink";
const MOST_TOLD = 12;
const MOST_LISTED = 100;

/** Returns the stretches for screen readers; of many, only the sums. */
function told(stretches: Stretch[]): Pick<Stretch, "phase" | "ms">[] {
  return stretches.length > MOST_TOLD ? totals(stretches) : stretches;
}

function PhaseTable({ stretches }: { stretches: Stretch[] }) {
  const left = stretches.length - MOST_LISTED;
  return (
    <table className="mt-1 text-left">
      <thead className="text-muted">
        <tr>
          {["Phase", "From", "For"].map((name) => (
            <th key={name} scope="col" className="py-1 pr-6 font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {stretches.slice(-MOST_LISTED).map((each) => (
          <tr key={each.from}>
            <td className="py-0.5 pr-6">{capitalise(PHASE_WORDS[each.phase])}</td>
            <td className="py-0.5 pr-6 text-muted">
              <Clock at={each.from} />
            </td>
            <td className="py-0.5 tabular-nums">
              {formatDuration(each.ms)}
              {each.live && " so far"}
            </td>
          </tr>
        ))}
      </tbody>
      {left > 0 && (
        <caption className="caption-bottom pt-1 text-left text-muted">
          {plural(left, "earlier one")} not shown.
        </caption>
      )}
    </table>
  );
}
