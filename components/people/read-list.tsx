"use client";

import { Eye, FileDown, FileText, type LucideIcon, ScrollText } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { type Read, type ReadKind, readWords } from "@/lib/tasks/access-log/access-log-schema.ts";

const ICONS: Record<ReadKind, LucideIcon> = {
  protocol: ScrollText,
  document: FileText,
  tasks_export: FileDown,
  history_export: FileDown,
  organization_export: FileDown,
  view_as: Eye,
};

/** Who looked at what, newest first. `whose`: who asked for the one task of the list; null: all is the reader's own. */
export function ReadList({ reads, whose, label }: { reads: Read[]; whose: string | null; label: string }) {
  const me = useMe();
  return (
    <ul aria-label={label} className="flex flex-col divide-y divide-line">
      {reads.map((read) => {
        const Icon = ICONS[read.kind];
        const isSelf = read.by.kind === "member" && read.by.id === me.user.id;
        return (
          <li key={read.seq} className="flex items-start gap-3 py-2 first:pt-0 last:pb-0">
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" strokeWidth={1.75} />
            <span className="flex min-w-0 flex-1 flex-col">
              <span className="break-words">
                <PlainText
                  text={`${isSelf ? "You" : READERS[read.by.kind](read.by.name)} ${readWords(read, whose)}`}
                />
              </span>
              {whose === null && read.task && (
                <Link
                  href={`/tasks/${read.task.id}`}
                  className="w-fit max-w-full break-words rounded-sm text-[13px] text-accent underline-offset-4 hover:underline max-md:py-3"
                >
                  <PlainText text={read.task.label ?? read.task.tool} />
                </Link>
              )}
            </span>
            <TimeAgo at={read.at} className="shrink-0 text-[13px] text-muted" />
          </li>
        );
      })}
    </ul>
  );
}

/** An actor as the subject of a sentence. */
const READERS: Record<Read["by"]["kind"], (name: string) => string> = {
  member: (name) => name,
  key: (name) => `The API key “${name}”`,
  agent: (name) => `The agent “${name}”`,
  rule: (name) => `The rule ${name}`,
  engine: () => "Intray",
  system: () => "The operator of Intray",
};
