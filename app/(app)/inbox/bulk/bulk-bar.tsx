"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Ref, useImperativeHandle } from "react";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { requestDetail } from "@/lib/api-client/requests.ts";
import { MOST_AT_ONCE, notAlike } from "@/lib/format/requests/bulk-eligibility.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";
import { plural } from "@/lib/text/labels.ts";
import type { Selection, StableRow } from "../list/use-request-rows.ts";
import { type BulkAction, bulkActions } from "./bulk-actions.ts";
import type { BulkKeys } from "./use-bulk-keys.ts";

/** The selected requests and the actions on all of them. */
export function BulkBar({
  keys,
  selection,
  rows,
  more,
  onMore,
  onBegin,
  onDone,
}: {
  keys: Ref<BulkKeys>;
  selection: Selection;
  rows: StableRow[];
  /** The list has rows that are not loaded. */
  more: boolean;
  onMore: () => void;
  onBegin: (action: BulkAction) => void;
  onDone: () => void;
}) {
  const { selected } = selection;
  const [first] = selected;
  const claim = useBulkClaim(onDone);
  const reason = notAlike(selected);
  const detail = useQuery({
    ...requestDetail(first?.id ?? ""),
    enabled: first !== undefined && reason === null,
  });
  // What cannot be undone is accepted one by one; a harmless answer to all is possible.
  const destroys = selected.some((request) => request.warnings.includes("destructive"));
  const possible = reason === null && detail.data ? bulkActions(detail.data.fields) : [];
  const actions = destroys ? possible.filter((action) => action.harmless) : possible;
  const mayDecline = selected.every(({ actions: taken }) => taken.includes("decline"));
  const begin = (action: BulkAction | undefined) => {
    if (action && reason === null && (!destroys || action.harmless)) onBegin(action);
  };
  useImperativeHandle(keys, () => ({
    a: () => begin(possible[0]),
    r: () => begin(possible[1]),
    d: () => mayDecline && begin(DECLINE),
    c: () => claim.isPending || claim.mutate(selected),
  }));
  const alike = alikeTo(first, rows).slice(0, MOST_AT_ONCE);

  return (
    <section
      aria-label="Selected requests"
      className="appear flex shrink-0 flex-col gap-2 border-line border-t bg-panel px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-x-3 text-[13px]">
        <p role="status" className="font-medium tabular-nums">
          {selected.length === 0 ? "Select requests" : `${selected.length} selected`}
        </p>
        {reason === null && alike.length > selected.length && (
          <Button variant="link" size="sm" className="max-md:h-11" onClick={() => selection.select(alike)}>
            Select all {alike.length} alike
          </Button>
        )}
        {reason === null && more && alike.length < MOST_AT_ONCE && (
          <Button variant="link" size="sm" className="max-md:h-11" onClick={onMore}>
            Load more
          </Button>
        )}
        <Button variant="link" size="sm" className="ml-auto max-md:h-11" onClick={onDone}>
          {selected.length === 0 ? "Done" : "Clear"}
        </Button>
      </div>
      {selected.length > 0 && (
        <>
          {/* Always mounted: a live region announces only content added later. */}
          <p
            id="bulk-why-not"
            role="status"
            className={cn("text-[13px] empty:-mt-2", reason ? "text-muted" : "text-bad")}
          >
            {reason ?? (destroys && "Irreversible: accept these one by one.")}
          </p>
          <div className="flex flex-wrap gap-1.5">
            {actions.map((action) => (
              <Button
                key={action.label}
                size="sm"
                variant={action.lead ? "primary" : "outline"}
                aria-keyshortcuts={["A", "R"][possible.indexOf(action)]}
                onClick={() => onBegin(action)}
              >
                {action.label}…
              </Button>
            ))}
            {mayDecline && (
              <Button
                size="sm"
                disabled={reason !== null}
                aria-keyshortcuts="D"
                aria-describedby={reason ? "bulk-why-not" : undefined}
                onClick={() => onBegin(DECLINE)}
              >
                Decline to answer…
              </Button>
            )}
            <Button
              size="sm"
              disabled={claim.isPending}
              aria-keyshortcuts="C"
              onClick={() => claim.mutate(selected)}
            >
              {claim.isPending ? "Claiming…" : "Claim"}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

const DECLINE: BulkAction = {
  label: "Decline",
  action: "decline",
  lead: false,
  form: null,
  content: undefined,
  harmless: true,
};

function alikeTo(first: InputRequestSummary | undefined, rows: StableRow[]): string[] {
  if (!first) return [];
  return rows
    .filter(({ request, gone }) => !gone && request.state === "open" && request.alike === first.alike)
    .map(({ request }) => request.id);
}

/** Claims requests one after the other; reports those that others have claimed. */
function useBulkClaim(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (requests: InputRequestSummary[]) => {
      const refused: string[] = [];
      for (const { id } of requests) {
        try {
          await api.post(`/api/v1/input-requests/${id}/claim`);
        } catch (error) {
          refused.push(errorSentence(error));
        }
      }
      return { claimed: requests.length - refused.length, refused };
    },
    onSuccess: ({ claimed, refused }) => {
      if (claimed > 0) toast(`Claimed ${plural(claimed, "request")}: others see that they are yours`);
      if (refused.length > 0)
        toast.error(`${plural(refused.length, "request")} not claimed`, { description: refused[0] });
      onDone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["input-requests"] }),
  });
}
