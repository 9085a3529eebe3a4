"use client";

import type { ReactNode } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Age } from "@/components/time/time.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { formatLatency, tasksHref } from "@/lib/requests/statistics/overview-words.ts";
import {
  type DeliveryFigures,
  MOST_WAITING,
  type Overview,
} from "@/lib/requests/statistics/statistics-schema.ts";
import { formatDuration } from "@/lib/text/duration.ts";
import { plural } from "@/lib/text/labels.ts";

/** Key figures; each links to the items counted. */
export function OverviewTiles({ figures, stuck }: { figures: Overview; stuck: number | undefined }) {
  const { now, decisions, deliveries, engines } = figures;
  const formats = useFormats();
  const { number } = formats;
  const open = Object.values(now.open).reduce((sum, count) => sum + count, 0);
  const of = (result: Exclude<keyof DeliveryFigures, "rung">) =>
    deliveries.reduce((sum, figure) => sum + figure[result], 0);
  const connections = engines.reduce((sum, engine) => sum + engine.leases, 0);
  const lags = engines.flatMap((engine) => engine.latenessMs ?? []);
  return (
    <ul className="grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Tile
        href="/inbox?tab=all"
        label="Waiting for a person"
        value={now.waiting >= MOST_WAITING ? `${number(MOST_WAITING - 1)}+` : number(now.waiting)}
        tone={now.waiting > 0 ? "text-wait" : undefined}
      >
        {now.oldestWaitingAt ? (
          <>
            oldest <Age at={now.oldestWaitingAt} />
            {now.overdue > 0 && (
              <span className="font-medium text-bad">
                {" "}
                · {number(Math.min(now.overdue, MOST_WAITING - 1))} overdue
              </span>
            )}
          </>
        ) : (
          "none waiting"
        )}
      </Tile>
      <Tile
        href="/inbox?tab=done"
        label="Median time to decision"
        value={decisions.p50Ms === null ? "—" : formatDuration(decisions.p50Ms)}
      >
        {decisions.p90Ms !== null
          ? `p90 ${formatDuration(decisions.p90Ms)}`
          : of("confirmed") > 0
            ? "samples and automatic answers are not timed"
            : "no decisions"}
      </Tile>
      <Tile
        href={stuck ? tasksHref({ attention: "stuck" }) : tasksHref({ state: OPEN })}
        label="Open tasks"
        value={number(open)}
      >
        <span className={cn(stuck ? "font-medium text-bad" : undefined)}>
          {stuck === undefined ? "…" : stuck > 1000 ? `${number(1000)}+ stuck` : `${number(stuck)} stuck`}
        </span>
      </Tile>
      {/* Not those that a server said to have accepted: its word can be lost, and an answer to a program needs none. */}
      <Tile href="#deliveries" label="Answers delivered" value={number(of("confirmed"))}>
        <span className={cn(of("undeliverable") > 0 && "font-medium text-bad")}>
          {number(of("undeliverable"))} undeliverable
        </span>
      </Tile>
      <Tile
        href="#engines"
        label="Engines"
        value={number(engines.length)}
        tone={engines.length === 0 ? "text-bad" : undefined}
      >
        {engines.length === 0
          ? "start one to run tasks"
          : [
              plural(connections, "connection"),
              ...(lags.length > 0 ? [`lag ${formatLatency(Math.max(...lags), formats)}`] : []),
            ].join(" · ")}
      </Tile>
    </ul>
  );
}

const OPEN = "queued,starting,start_unknown,working,input_required";

function Tile({
  href,
  label,
  value,
  tone,
  children,
}: {
  href: string;
  label: string;
  value: string;
  tone?: string | undefined;
  children: ReactNode;
}) {
  const look =
    "flex h-full flex-col gap-0.5 rounded-lg border border-line bg-panel px-3 py-2.5 transition-colors hover:bg-sunken";
  const inside = (
    <>
      <span className="text-muted text-xs">{label}</span>
      <span className={cn("font-semibold text-xl tabular-nums tracking-tight", tone)}>{value}</span>
      <span className="text-muted text-xs">{children}</span>
    </>
  );
  return (
    <li className="last:max-lg:col-span-2">
      {href.startsWith("#") ? (
        <a href={href} className={look}>
          {inside}
        </a>
      ) : (
        <Link href={href} className={look}>
          {inside}
        </Link>
      )}
    </li>
  );
}
