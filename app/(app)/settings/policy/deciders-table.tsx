"use client";

import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Day } from "@/components/time/time.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { ScrollX } from "@/components/ui/scroll-x.tsx";
import type { Decider, Deciders } from "@/lib/policy/policy-schema.ts";
import { policyDeciders } from "@/lib/web/client/settings/policy.ts";
import { Section } from "../section.tsx";

type Stage = Deciders["rules"][number]["stages"][number];

/** Who could vote now, by rule and stage, with those who are away. */
export function DecidersTable() {
  const deciders = useQuery(policyDeciders());
  if (deciders.isError && !deciders.data)
    return <LoadFailure what="Who decides" error={deciders.error} onRetry={() => void deciders.refetch()} />;
  const rows = (deciders.data?.rules ?? []).flatMap(({ name, stages }) =>
    stages.map((stage, at) => ({ rule: name, span: at === 0 ? stages.length : 0, stage })),
  );
  if (rows.length === 0) return null;
  return (
    <Section
      title="Who could decide what"
      description="By the saved policy, as of now. The requester of a task has no vote on it unless its rule says so. Where a second person is required, accounts that count as one person have one vote in a stage."
    >
      <ScrollX label="People by rule and stage">
        <table className="w-full min-w-[36rem] text-left text-[13px]">
          <thead className="text-muted text-xs">
            <tr className="border-line border-b">
              <Head>Rule</Head>
              <Head>Stage</Head>
              <Head>Needs</Head>
              <Head>Who could vote</Head>
            </tr>
          </thead>
          <tbody className="align-top">
            {rows.map(({ rule, span, stage }) => (
              <tr key={`${rule} ${stage.name}`} className="border-line border-b last:border-0">
                {span > 0 && (
                  <th scope="rowgroup" rowSpan={span} className="max-w-48 px-3 py-2 font-medium">
                    <PlainText text={rule} />
                  </th>
                )}
                <td className="min-w-28 max-w-40 px-3 py-2">
                  <PlainText text={stage.name} />
                </td>
                <td className="px-3 py-2 tabular-nums">{stage.need}</td>
                <td className="px-3 py-2">
                  <Voters stage={stage} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </Section>
  );
}

function Head({ children }: { children: string }) {
  return (
    <th scope="col" className="px-3 py-2 font-medium">
      {children}
    </th>
  );
}

/** Names that are listed; of more, how many. */
const MOST_LISTED = 30;

const WARNINGS: Record<NonNullable<Stage["warning"]>, string> = {
  too_few: "Too few people: this stage can’t be completed",
  too_few_now: "Too few while people are away",
  no_spare: "Just enough: too few if one of them asked for the task, or leaves",
};

function Voters({ stage: { people, later, warning } }: { stage: Stage }) {
  return (
    <div className="flex flex-col gap-1">
      <Names people={people} />
      {later && (
        <p className="text-muted">
          After {later.after} also: <Names people={later.people} />
        </p>
      )}
      {warning && (
        <p className={`flex items-start gap-1.5 ${warning === "no_spare" ? "text-wait" : "text-bad"}`}>
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" strokeWidth={1.75} />
          {WARNINGS[warning]}
        </p>
      )}
    </div>
  );
}

function Names({ people }: { people: Decider[] }) {
  if (people.length === 0) return <span>Nobody</span>;
  const more = people.length - MOST_LISTED;
  return (
    <span>
      {people.slice(0, MOST_LISTED).map(({ id, name, away }, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <PlainText text={name} />
          {away && (
            <span className="text-muted">
              {" "}
              (away, back <Day at={away.until} />
              {away.partly && ", for some requests"}
              {away.standIns.length > 0 && (
                <>
                  ; <PlainText text={away.standIns.join(", ")} /> stands in
                </>
              )}
              )
            </span>
          )}
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </span>
  );
}
