"use client";

import { Trash2 } from "lucide-react";
import { TimeUntil } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";

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
          <strong className="font-semibold">{by} asked to delete this organization.</strong> It goes{" "}
          <TimeUntil at={at} over="as soon as nothing prevents it" />.
        </span>
      </p>
      <Link href="/settings/organization" className="shrink-0 font-medium underline">
        Look
      </Link>
    </section>
  );
}
