"use client";

import { useQuery } from "@tanstack/react-query";
import { Bell as BellIcon } from "lucide-react";
import { usePathname } from "next/navigation";
import { noticeCounts } from "@/components/api/notices.ts";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { countWords } from "@/lib/format/notices.ts";

/** The way to the notices, with how many are unread. */
export function Bell() {
  const { data } = useQuery(noticeCounts());
  const active = usePathname() === "/notices";
  const unread = data?.unread ?? 0;
  return (
    <Link
      href="/notices"
      title="Notices"
      aria-current={active ? "page" : undefined}
      className={cn(
        "flex h-8 items-center gap-2.5 rounded-lg px-2 transition-colors max-lg:h-10 max-lg:justify-center",
        active ? "bg-accent-soft font-medium" : "text-muted hover:bg-sunken hover:text-ink",
      )}
    >
      <span className="relative">
        <BellIcon aria-hidden className="size-[18px] shrink-0" strokeWidth={1.75} />
        {unread > 0 && (
          <span
            aria-hidden
            className="absolute -top-0.5 -right-0.5 size-2 rounded-full bg-accent lg:hidden"
          />
        )}
      </span>
      <span className="max-lg:sr-only">Notices</span>
      {unread > 0 && (
        <span className="ml-auto text-[13px] tabular-nums max-lg:sr-only">
          {countWords(unread)}
          <span className="sr-only"> unread</span>
        </span>
      )}
    </Link>
  );
}
