"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Ref, useImperativeHandle } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { toast } from "@/components/ui/toast/toast.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { MOST_AT_ONCE, notAlike } from "@/lib/requests/words/bulk-words.ts";
import { plural } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { requestDetail } from "@/lib/web/client/requests.ts";
import { assignmentOffer } from "../answer/assignment/assignment-offer.ts";
import type { StableRow } from "../list/row-changes.ts";
import type { Selection } from "../list/use-request-rows.ts";
import { alikeTo, type BulkAction, bulkOffer, DECLINE } from "./bulk-actions.ts";
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
  const { data: detail } = useQuery({
    ...requestDetail(first?.id ?? ""),
    enabled: first !== undefined && notAlike(selected) === null,
  });
  const me = useMe();
  const { reason, notes, actions, decline, onKey } = bulkOffer(selected, detail?.fields ?? null, me);
  const claimable = selected.filter((request) => assignmentOffer(request, me).claim === "claim");
  const press = (key: "a" | "r" | "d") => () => {
    const action = onKey(key);
    if (action) onBegin(action);
  };
  useImperativeHandle(keys, () => ({
    a: press("a"),
    r: press("r"),
    d: press("d"),
    c: () => claim.isPending || claimable.length === 0 || claim.mutate(claimable),
  }));
  const alike = alikeTo(first, rows);

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
            Select all {alike.length} similar requests
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
            {notes.join(" ")}
          </p>
          <div className="flex flex-wrap gap-1.5">
            {actions.map(({ action, key }) => (
              <Button
                key={action.label}
                size="sm"
                variant={action.lead ? "primary" : "outline"}
                aria-keyshortcuts={key}
                onClick={() => onBegin(action)}
              >
                {action.label}…
              </Button>
            ))}
            {decline && (
              <Button
                size="sm"
                disabled={decline === "off"}
                aria-keyshortcuts="D"
                aria-describedby={decline === "off" ? "bulk-why-not" : undefined}
                onClick={() => onBegin(DECLINE)}
              >
                Decline to answer…
              </Button>
            )}
            <Button
              size="sm"
              disabled={claim.isPending || claimable.length === 0}
              aria-keyshortcuts="C"
              onClick={() => claim.mutate(claimable)}
            >
              {claim.isPending ? "Claiming…" : "Claim"}
            </Button>
          </div>
        </>
      )}
    </section>
  );
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
