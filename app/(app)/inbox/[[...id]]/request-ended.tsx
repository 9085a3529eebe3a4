"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { openRequestsOfTask } from "@/components/api/requests.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { endedWords } from "@/lib/format/requests.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";

/** What became of a request that ended without being settled, and where to go from here. */
export function RequestEnded({ request }: { request: InputRequestDetail }) {
  if (request.state === "answered" || request.state === "settled" || request.state === "open") return null;
  const words = endedWords(request.state, request.endedReason);
  return (
    <Notice
      tone={request.state === "withdrawn" ? "neutral" : "bad"}
      title={words.what}
      action={<Next request={request} />}
    >
      <p>{words.next}</p>
    </Notice>
  );
}

function Next({ request }: { request: InputRequestDetail }) {
  const replaced = request.endedReason === "replaced";
  const others = useQuery({ ...openRequestsOfTask(request.taskId), enabled: replaced });
  const next = others.data?.items.find((each) => each.id !== request.id);
  return (
    <span className="flex flex-wrap gap-2">
      {next && (
        <Button asChild size="sm" variant="primary">
          <Link href={`/inbox/${next.id}`}>Go to the new question</Link>
        </Button>
      )}
      <Button asChild size="sm">
        <Link href={`/tasks/${request.taskId}`}>Open the task</Link>
      </Button>
    </span>
  );
}
