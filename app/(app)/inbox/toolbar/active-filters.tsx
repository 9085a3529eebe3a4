"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { chipsOf } from "@/lib/requests/words/filter-words.ts";
import { withoutFilters } from "@/lib/requests/words/inbox-filters.ts";
import { serverList } from "@/lib/web/client/servers.ts";
import type { InboxPlace } from "./use-inbox-place.ts";

/** The active filters of the list, each removable. */
export function ActiveFilters({ place }: { place: InboxPlace }) {
  const { filters } = place;
  const { data: servers } = useQuery({ ...serverList(), enabled: filters.serverId !== "" });
  const chips = chipsOf(
    filters,
    useFormats(),
    (id) => servers?.items.find((server) => server.id === id)?.name,
  );
  if (chips.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5 px-4 pb-2.5">
      <ul aria-label="Filters" className="contents">
        {chips.map((chip) => (
          <li key={chip.words} className="max-w-full">
            <button
              type="button"
              className="inline-flex h-6 max-w-full items-center gap-1 rounded-md bg-accent-soft px-1.5 font-medium text-accent text-xs hover:bg-sunken max-md:h-11 max-md:px-3"
              aria-label={`${chip.words}: remove this filter`}
              onClick={() => place.go({ filters: chip.clears })}
            >
              <span className="truncate">{chip.words}</span>
              <X aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
            </button>
          </li>
        ))}
      </ul>
      <Button
        variant="link"
        size="sm"
        className="px-1 text-xs max-md:h-11"
        onClick={() => place.go({ filters: { ...withoutFilters(filters), q: filters.q } })}
      >
        Clear
      </Button>
    </div>
  );
}
