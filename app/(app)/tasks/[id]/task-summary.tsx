"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Link } from "@/components/ui/link.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { TaskDetail } from "@/lib/tasks/task-schema.ts";
import { taskRequests } from "@/lib/web/client/tasks/task-history.ts";

/** Decisions in the summary; all of them are under Requests. */
const SHOWN = 3;

/** Whom and how much the task is about, and who decided. */
export function TaskSummary({ task }: { task: TaskDetail }) {
  const formats = useFormats();
  const isDecided = task.inputRequests.some(({ state }) => state === "answered" || state === "settled");
  const requests = useInfiniteQuery({ ...taskRequests(task.id), enabled: isDecided });
  const decisions = requests.data?.pages.flatMap((page) => page.items).filter(({ answer }) => answer) ?? [];
  const { party, amount } = task;
  if (!party && !amount && !isDecided) return null;
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2 text-[13px]">
      {party && (
        <Fact label="Party">
          <PlainText text={party} />
        </Fact>
      )}
      {amount && (
        <Fact label="Amount">
          <span className="tabular-nums">
            <PlainText text={formats.amount(amount)} />
          </span>
        </Fact>
      )}
      {isDecided && !requests.isError && (
        <Fact label="Decided">
          {requests.isPending ? (
            // As high as a line: nothing below may move under a press.
            <span aria-hidden className="skeleton block h-5 w-44" />
          ) : (
            <ul className="flex flex-col">
              {decisions.slice(0, SHOWN).map((request) => (
                <Decision key={request.id} request={request} />
              ))}
              {decisions.length > SHOWN && (
                <li className="font-normal text-muted">Earlier decisions are under Requests.</li>
              )}
            </ul>
          )}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="min-w-0 break-words font-medium">{children}</dd>
    </div>
  );
}

function Decision({ request }: { request: InputRequestSummary }) {
  const { id, answer } = request;
  if (!answer) return null;
  return (
    <li>
      <Link href={`/inbox/${id}`} className="underline-offset-4 hover:underline">
        <PlainText text={`${answer.words} by ${decidersOf(request)}`} />
      </Link>
      <span className="font-normal text-muted">
        {" "}
        <TimeAgo at={answer.at} />
      </span>
    </li>
  );
}

/** Who decided a request: of several votes, each person whose vote was that of the last. Null: nobody has. */
export function decidersOf({
  answer,
  approval,
}: Pick<InputRequestSummary, "answer" | "approval">): string | null {
  if (!answer) return null;
  const votes = approval?.stages.flatMap((stage) => stage.votes) ?? [];
  const last = votes.toSorted((one, other) => one.at.localeCompare(other.at)).at(-1);
  const agreed = last ? votes.filter(({ agrees }) => agrees === last.agrees) : [answer];
  const names = [...new Set(agreed.map(({ by }) => actorWords(by)))];
  return new Intl.ListFormat("en").format(names);
}
