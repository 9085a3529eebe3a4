import { ChevronRight } from "lucide-react";
import { Badge } from "@/components/ui/badge.tsx";
import { Link } from "@/components/ui/link.tsx";
import { REQUEST_LABELS, REQUEST_TONES } from "@/lib/format/requests.ts";
import { requestStateSchema } from "@/lib/input-requests/schema.ts";
import type { TaskDetail } from "@/lib/tasks/schema.ts";

export function TaskRequests({ task }: { task: TaskDetail }) {
  if (task.inputRequests.length === 0) {
    return <p className="text-muted">The server has not asked anything so far.</p>;
  }
  return (
    <ul className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel">
      {task.inputRequests.map((request) => {
        const state = requestStateSchema.catch("open").parse(request.state);
        return (
          <li key={request.id}>
            <Link
              href={`/inbox/${request.id}`}
              className="flex min-h-11 items-center gap-3 px-3.5 py-2.5 hover:bg-sunken focus-visible:-outline-offset-2"
            >
              <span className="flex min-w-0 flex-1 items-center gap-x-3 gap-y-1 max-md:flex-col max-md:items-start">
                <span className="line-clamp-2 min-w-0 flex-1">{request.message}</span>
                <Badge tone={REQUEST_TONES[state]}>{REQUEST_LABELS[state]}</Badge>
              </span>
              <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" strokeWidth={1.75} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
