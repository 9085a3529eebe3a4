"use client";

import { ChevronDown, ChevronUp, type LucideIcon } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { requestTitle } from "@/lib/requests/words/inbox-rows.ts";
import type { Listed } from "./request-list.tsx";
import { rowAfter, waits } from "./row-changes.ts";

/** `3 of 18`, with the ways to the requests before and after in the list, and the name of the one that opens after a decision. */
export function Steps({ listed, id }: { listed: Listed; id: string }) {
  const { rows, total, open } = listed;
  const formats = useFormats();
  const index = rows.findIndex((row) => row.request.id === id);
  const next = rowAfter(rows, id)?.request;
  const isBelow = rows.findIndex((row) => row.request === next) > index;
  const step = (label: string, Icon: LucideIcon, to: number) => {
    const there = rows[to]?.request;
    return (
      <Button
        variant="ghost"
        size="icon"
        aria-label={label}
        title={there ? `${label}: ${requestTitle(there, formats)}` : label}
        disabled={!there}
        onClick={() => there && open(there.id)}
      >
        <Icon aria-hidden strokeWidth={1.75} />
      </Button>
    );
  };
  return (
    <div className="flex min-w-0 flex-1 items-center justify-end gap-1">
      {!next && rows[index] && waits(rows[index]) && total === rows.length && (
        <span className="mr-auto text-muted text-xs max-md:hidden">Nothing else in this list</span>
      )}
      {next && (
        <button
          type="button"
          className="mr-auto min-w-0 truncate rounded-sm text-muted text-xs hover:text-ink hover:underline max-md:hidden"
          onClick={() => open(next.id)}
        >
          {isBelow ? "Next" : "Above"}: <bdi>{requestTitle(next, formats)}</bdi>
        </button>
      )}
      {index !== -1 && (
        <span className="shrink-0 px-1 text-muted text-xs tabular-nums">
          <span className="sr-only">Request </span>
          {formats.number(index + 1)} of{" "}
          {total === null ? `${formats.number(rows.length)}+` : formats.number(total)}
        </span>
      )}
      {step("Previous request", ChevronUp, index - 1)}
      {step("Next request", ChevronDown, index + 1)}
    </div>
  );
}
