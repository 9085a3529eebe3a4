"use client";

import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Day } from "@/components/time/time.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import type { Decider, Deciders, PeopleWarning, PolicyCheck } from "@/lib/policy/policy-schema.ts";
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
      <div className="rounded-lg border border-line">
        <table className="w-full text-left text-[13px]">
          <thead className="text-muted text-xs">
            <tr className="border-line border-b">
              <th scope="col" className="w-1/3 px-3 py-2 font-medium">
                Rule
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                Who could vote
              </th>
            </tr>
          </thead>
          <tbody className="align-top">
            {rows.map(({ rule, span, stage }) => (
              <tr key={`${rule} ${stage.name}`} className="border-line border-b last:border-0">
                {span > 0 && (
                  <th scope="rowgroup" rowSpan={span} className="px-3 py-2 font-medium">
                    <PlainText text={rule} />
                  </th>
                )}
                <td className="px-3 py-2">
                  <Voters stage={stage} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

/** Names that are listed; of more, how many. */
const MOST_LISTED = 30;

const WARNINGS: Record<PeopleWarning, string> = {
  too_few: "Too few people: this stage can’t be completed",
  too_few_now: "Too few while people are away",
  no_spare: "Just enough: too few if one of them asked for the task, or leaves",
};

/** Warnings that are listed beside the button that saves. */
const MOST_WARNINGS = 3;

/** What a draft leaves short of people, each with the way to its stage. */
export function PeopleWarnings({
  warnings,
  onGo,
}: {
  warnings: PolicyCheck["warnings"];
  onGo: (field: string) => void;
}) {
  const more = warnings.length - MOST_WARNINGS;
  return (
    <ul aria-label="Stages without people to spare" className="flex flex-col gap-1 text-[13px]">
      {warnings.slice(0, MOST_WARNINGS).map(({ field, rule, stage, warning, people }) => (
        <li key={field}>
          <Warning warning={warning}>
            <button
              type="button"
              className="text-left underline underline-offset-4"
              onClick={() => onGo(`${field}.need`)}
            >
              <PlainText text={`“${rule}”, stage “${stage}”`} />
            </button>
            : <PlainText text={people.slice(0, MOST_LISTED).join(", ")} />. {WARNINGS[warning]}
          </Warning>
        </li>
      ))}
      {more > 0 && <li className="text-muted">And {more} more such stages.</li>}
    </ul>
  );
}

function Warning({ warning, children }: { warning: PeopleWarning; children: ReactNode }) {
  return (
    <p className={`flex items-start gap-1.5 ${warning === "no_spare" ? "text-wait" : "text-bad"}`}>
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" strokeWidth={1.75} />
      <span className="min-w-0">{children}</span>
    </p>
  );
}

function Voters({ stage: { name, need, people, later, warning } }: { stage: Stage }) {
  return (
    <div className="flex flex-col gap-1">
      <p>
        <span className="text-muted">
          <PlainText text={name} />: {need} of
        </span>{" "}
        <Names people={people} />
      </p>
      {later && (
        <p className="text-muted">
          After {later.after} also: <Names people={later.people} />
        </p>
      )}
      {warning && <Warning warning={warning}>{WARNINGS[warning]}</Warning>}
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
