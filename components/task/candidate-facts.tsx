import { TimeAgo } from "@/components/time/time.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import type { Candidate } from "@/lib/tasks/found-task-schema.ts";
import { serverStateLabel } from "@/lib/tasks/words/state-labels.ts";

/** Known facts of an untracked task. Never its id on the server, which is a secret. */
export function CandidateFacts({ found }: { found: Candidate }) {
  return (
    <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Badge>{serverStateLabel(found.status)}</Badge>
        <span className="text-[13px] text-muted">
          {found.serverCreatedAt ? (
            <>
              began <TimeAgo at={found.serverCreatedAt} />
            </>
          ) : (
            "the server does not say when it began"
          )}
          , found <TimeAgo at={found.foundAt} />
        </span>
      </p>
      {found.statusMessage && <p className="line-clamp-3 whitespace-pre-line">{found.statusMessage}</p>}
    </div>
  );
}
