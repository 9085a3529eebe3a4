"use client";

import { Eye, Trash2 } from "lucide-react";
import { useEffect } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeUntil } from "@/components/time/time.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { api } from "@/lib/web/client/base/client.ts";

const MEMBERS = "/settings/members";
const ENDING_MS = 60_000;

/** Says as whom an admin looks, until when, and leads out. The page leaves by itself at the end. */
export function ViewBar({ until, leftMs }: { until: string; leftMs: number }) {
  const { user } = useMe();
  useEffect(() => {
    // Not by this browser's clock: where it is ahead, the next page would still show the bar.
    const timer = setTimeout(() => window.location.assign(MEMBERS), leftMs + 1_000);
    return () => clearTimeout(timer);
  }, [leftMs]);
  const isEnding = Date.parse(until) - useNow(10_000) < ENDING_MS;
  // A refusal means that the view has ended already; the next page shows that.
  const stop = () =>
    void api
      .delete("/api/v1/me/view-as")
      .catch(() => undefined)
      .then(() => window.location.assign(MEMBERS));
  return (
    <section
      aria-label="Viewing as a member"
      className="flex items-center justify-center gap-4 border-wait/30 border-b bg-wait-soft px-4 py-1.5 text-[13px] text-wait"
    >
      <p className="flex min-w-0 items-center gap-2">
        <Eye aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
        <span>
          <strong className="font-semibold">Viewing as {user.name}.</strong> Read only, without private tasks.
          Ends in <TimeUntil at={until} over="a moment" />.
        </span>
      </p>
      <span role="status" className="sr-only">
        {isEnding && "Viewing ends within a minute, and leads back to the members."}
      </span>
      <Button size="sm" className="shrink-0" onClick={stop}>
        Stop<span className="max-md:sr-only"> viewing</span>
      </Button>
    </section>
  );
}

/** Says on every page of an admin's that the organization is to be deleted, and by whom. */
export function DeletionBar({ by, at }: { by: string; at: string }) {
  return (
    <section
      aria-label="Deletion of the organization"
      className="flex items-center justify-center gap-4 border-bad/30 border-b bg-bad-soft px-4 py-1.5 text-[13px] text-bad"
    >
      <p className="flex min-w-0 items-center gap-2">
        <Trash2 aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
        <span>
          <strong className="font-semibold">{by} asked to delete this organization.</strong> It is deleted{" "}
          <TimeUntil at={at} over="as soon as nothing prevents it" />.
        </span>
      </p>
      <Link href="/settings/organization" className="shrink-0 font-medium underline">
        Look
      </Link>
    </section>
  );
}
