"use client";

import { TriangleAlert } from "lucide-react";
import { Fragment } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { FoldedText } from "@/components/text/folds.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { callParts, totals } from "@/lib/requests/words/bulk-words.ts";
import { WARNING_LABELS } from "@/lib/requests/words/request-labels.ts";
import { type compared, type Leaf, valueText } from "@/lib/text/value-changes.ts";

/**
 * What each request asks and about which call, and the sum of the amounts. The list has no scrollbar of its own: the buttons
 * stand below all of it.
 */
export function ChosenRequests({
  requests,
  parts,
}: {
  requests: InputRequestSummary[];
  /** Of their calls; null: nothing is accepted, or they are not read yet. */
  parts: ReturnType<typeof compared>;
}) {
  const formats = useFormats();
  const sums = totals(requests.map((request) => request.amount));
  const without = requests.filter((request) => !request.amount).length;
  return (
    <div className="flex shrink-0 flex-col overflow-hidden rounded-lg border border-line">
      <ul aria-label="Selected requests">
        {requests.map((request, at) => (
          <li
            key={request.id}
            className="flex flex-col gap-1.5 border-line border-b px-3 py-2 text-[13px] last:border-b-0"
          >
            <div className="flex items-start gap-4">
              <span className="wrap-anywhere min-w-0 flex-1">
                <span className="whitespace-pre-line">
                  <PlainText text={request.message} />
                </span>
                <span className="block text-muted text-xs">
                  {callParts(request).map((part, index) => (
                    <Fragment key={String(index)}>
                      {index > 0 && " · "}
                      <PlainText text={part} />
                    </Fragment>
                  ))}
                </span>
              </span>
              {request.warnings.map((warning) => (
                <Badge key={warning} tone="bad" icon={TriangleAlert} className="shrink-0">
                  {WARNING_LABELS[warning]}
                </Badge>
              ))}
              {request.amount && (
                <span className="shrink-0 font-medium tabular-nums">{formats.amount(request.amount)}</span>
              )}
            </div>
            <Leaves leaves={parts?.each[at] ?? []} />
          </li>
        ))}
      </ul>
      {sums.length > 0 && (
        <p className="flex flex-wrap items-baseline justify-between gap-x-4 border-line border-t bg-sunken px-3 py-2 text-[13px]">
          <span className="font-medium">
            Sum{without > 0 && <span className="font-normal text-muted"> · {without} without an amount</span>}
          </span>
          <span className="font-semibold tabular-nums">{sums.map(formats.amount).join(" + ")}</span>
        </p>
      )}
      {parts !== null && parts.same.length > 0 && (
        <section
          aria-label="The same in each"
          className="flex flex-col gap-1.5 border-line border-t px-3 py-2 text-[13px]"
        >
          <h3 className="font-medium text-muted text-xs">The same in each</h3>
          <Leaves leaves={parts.same} />
        </section>
      )}
    </div>
  );
}

/** Values of a call under their names, as they are sent. */
function Leaves({ leaves }: { leaves: Leaf[] }) {
  if (leaves.length === 0) return null;
  return (
    <dl className="grid grid-cols-[minmax(4rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-xs">
      {leaves.map(({ path, value }) => (
        <div key={path} className="col-span-2 grid grid-cols-subgrid">
          <dt className="wrap-anywhere max-w-[12rem] text-muted max-md:max-w-[35vw]">
            <PlainText text={path} />
          </dt>
          <dd className="wrap-anywhere min-w-0 whitespace-pre-wrap tabular-nums">
            <FoldedText text={valueText(value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
