"use client";

import { useSyncExternalStore } from "react";
import { useNow } from "@/components/time/use-now.ts";
import { formatExact } from "@/lib/text/time.ts";

const never = () => () => {};

export function TimeZone() {
  const zone = useSyncExternalStore(
    never,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => null,
  );
  const now = useNow();
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 text-[13px]">
      <dt className="text-muted">Zone</dt>
      <dd>{zone?.replaceAll("_", " ") ?? "…"}</dd>
      <dt className="text-muted">Now</dt>
      <dd>{zone ? formatExact(new Date(now).toISOString()) : "…"}</dd>
    </dl>
  );
}
