import { formatAmount, totals } from "@/lib/format/requests/amount-words.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import { visibleText } from "@/lib/text/message-tokens.ts";

/** Each request in a line, and what they come to. */
export function BulkChosen({ requests }: { requests: InputRequestSummary[] }) {
  const sums = totals(requests.map((request) => request.amount));
  const without = requests.filter((request) => !request.amount).length;
  return (
    <div className="flex flex-col overflow-hidden rounded-lg border border-line">
      <ul
        aria-label="What is about to be answered"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, also with the keyboard
        tabIndex={0}
        className="scroll-quiet max-h-56"
      >
        {requests.map((request) => (
          <li
            key={request.id}
            className="flex items-start gap-4 border-line border-b px-3 py-2 text-[13px] last:border-b-0"
          >
            <span className="line-clamp-2 min-w-0 flex-1">
              <bdi>{visibleText(request.message)}</bdi>
            </span>
            {request.amount && (
              <span className="shrink-0 font-medium tabular-nums">{formatAmount(request.amount)}</span>
            )}
          </li>
        ))}
      </ul>
      {sums.length > 0 && (
        <p className="flex flex-wrap items-baseline justify-between gap-x-4 border-line border-t bg-sunken px-3 py-2 text-[13px]">
          <span className="font-medium">
            Sum{without > 0 && <span className="font-normal text-muted"> · {without} without an amount</span>}
          </span>
          <span className="font-semibold tabular-nums">{sums.map(formatAmount).join(" + ")}</span>
        </p>
      )}
    </div>
  );
}
