"use client";

import { TimeAgo } from "@/components/time/time.tsx";
import type { Directory } from "@/lib/directory/schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { Section } from "../section.tsx";

/** What the directory did lately: its last call, whom it knows, and what was refused. */
export function ActivitySection({ directory }: { directory: Directory }) {
  const { lastCalledAt, lastCalledNetwork, lastCalledAgent, people, failures } = directory;
  return (
    <Section title="Activity" description="What it changed stands in the history, as Directory (SCIM).">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-[13px]">
        <dt className="text-muted">Last call</dt>
        <dd className="min-w-0 break-words">
          {lastCalledAt ? (
            <>
              <TimeAgo at={lastCalledAt} />
              {lastCalledNetwork && ` from ${lastCalledNetwork}`}
              {lastCalledAgent && ` · ${lastCalledAgent}`}
            </>
          ) : (
            "Never"
          )}
        </dd>
        <dt className="text-muted">People</dt>
        <dd>
          {plural(people.active, "member")} · {people.waiting} invited · {people.suspended} deactivated
        </dd>
      </dl>
      {failures.length === 0 ? (
        <p className="text-[13px] text-muted">No call was refused.</p>
      ) : (
        <ul aria-label="Refused calls" className="flex flex-col divide-y divide-line">
          {failures.map(({ id, at, call, status, detail }) => (
            <li key={id} className="flex flex-col gap-0.5 py-2 text-[13px] first:pt-0 last:pb-0">
              <span>{detail}</span>
              <span className="min-w-0 break-all text-muted">
                <TimeAgo at={at} /> · {status} · <span className="font-mono">{call}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
