"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { isCallKnown, RestartDialog } from "@/components/task/restart-dialog.tsx";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { reachIn } from "@/lib/requests/deliveries/reach.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { endedWords, requestLabel, requestTone } from "@/lib/requests/words/request-labels.ts";
import { openRequestsOfTask } from "@/lib/web/client/requests.ts";
import { mayUndo } from "../answer/answer-blockers.ts";
import { newestUndoable } from "../answer/decision-store.ts";
import { useUndo } from "../answer/use-undo.ts";
import { REQUEST_ICONS } from "../state-icons.ts";
import { AnswerGiven } from "./answer-given.tsx";

/** The result of a request that is no longer open. */
export function RequestClosed({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const undo = useUndo();
  useShortcuts({
    z: () => {
      // This tab's own decisions are undone by their toasts, newest first.
      if (newestUndoable() === null && mayUndo(request, me)) void undo(request.id);
    },
  });
  return (
    <>
      <RequestEnded request={request} />
      {request.answer && <AnswerGiven request={request} />}
    </>
  );
}

/** The badge of a request that is no longer open. */
export function EndState({ request }: { request: InputRequestDetail }) {
  return (
    <Badge tone={requestTone(request)} icon={REQUEST_ICONS[request.state]}>
      {requestLabel(request)}
    </Badge>
  );
}

/** Why a request ended without being settled, and the next step. */
function RequestEnded({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  if (request.state === "answered" || request.state === "settled" || request.state === "open") return null;
  const reach = request.answer && request.delivery && reachIn(request.delivery);
  const words = endedWords(request.state, request.endedReason, reach);
  const isLost = request.endedReason === "not_asked_again";
  const failed = request.state !== "withdrawn";
  const [cancel, start] = me.may("tasks:start")
    ? ["Cancel it on the task’s page.", "start it again as a new task"]
    : ["Ask an operator to cancel it.", "ask an operator to start it again"];
  const again =
    reach === "unknown"
      ? `Look at ${request.server.name} first: the answer may have worked there. Only if it did not, ${start}.`
      : `If it still matters, ${start}.`;
  return (
    <Notice
      tone={failed || reach === "unknown" ? "bad" : "neutral"}
      title={words.what}
      action={<NextSteps request={request} />}
    >
      <p>
        {words.next}
        {isLost && reach === "nothing" && ` ${cancel}`}
      </p>
      {failed && <p>{again}</p>}
    </Notice>
  );
}

function NextSteps({ request }: { request: InputRequestDetail }) {
  const me = useMe();
  const [asking, setAsking] = useState(false);
  const replaced = request.endedReason === "replaced";
  const others = useQuery({ ...openRequestsOfTask(request.taskId), enabled: replaced });
  const next = others.data?.items.find((each) => each.id !== request.id);
  const mayStartAgain =
    request.state !== "withdrawn" &&
    me.may("tasks:start") &&
    isCallKnown({ adopted: request.task.adopted, arguments: request.arguments });
  return (
    <span className="flex flex-wrap gap-2">
      {next && (
        <Button asChild size="sm" variant="primary">
          <Link href={`/inbox/${next.id}`}>Go to the new question</Link>
        </Button>
      )}
      {mayStartAgain && (
        <Button size="sm" onClick={() => setAsking(true)}>
          Start again as a new task…
        </Button>
      )}
      <Button asChild size="sm">
        <Link href={`/tasks/${request.taskId}`}>View task</Link>
      </Button>
      <RestartDialog
        task={{ id: request.taskId, tool: request.tool, state: request.task.state }}
        open={asking}
        onClose={() => setAsking(false)}
      />
    </span>
  );
}
