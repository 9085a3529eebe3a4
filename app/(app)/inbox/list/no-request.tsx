"use client";

import { Inbox } from "lucide-react";
import { Empty } from "@/components/ui/empty.tsx";
import { AllDone } from "../inbox-parts.ts";
import type { InboxPlace } from "../toolbar/use-inbox-place.ts";
import { useDecided } from "./use-decided.ts";

/** Where no request is open: how to open one, or, once everything is decided, what was decided on this visit. */
export function NoRequest({ place, left }: { place: InboxPlace; left: number }) {
  const decided = useDecided(() => undefined);
  if (decided.length > 0 && left === 0) return <AllDone decided={decided} place={place} />;
  return (
    <Empty icon={Inbox} title="No request is open here">
      {left > 0
        ? "Choose one from the list, or press J."
        : "What you open from the list is read and answered here."}
    </Empty>
  );
}
