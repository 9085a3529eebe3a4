"use client";

import { Inbox } from "lucide-react";
import { Empty } from "@/components/ui/empty.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { useDecided } from "../answer/decision-store.ts";
import type { InboxPlace } from "../toolbar/use-inbox-place.ts";

const AllDone = lazyComponent(() => import("../first-touch.ts").then((file) => file.AllDone), { warm: true });

/** Where no request is open: how to open one, or, once everything is decided, what was decided on this visit. */
export function NoRequest({ place, left }: { place: InboxPlace; left: number }) {
  const decided = useDecided();
  if (decided.length > 0 && left === 0) return <AllDone decided={decided} place={place} />;
  return (
    <Empty icon={Inbox} title="No request is open here">
      {left > 0
        ? "Choose one from the list, or press J."
        : "What you open from the list is read and answered here."}
    </Empty>
  );
}
