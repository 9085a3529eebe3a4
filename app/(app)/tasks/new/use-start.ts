"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { type ConnectionChange, connectionChangeOf } from "@/components/task/connection-changed.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Race, StartRaceInput } from "@/lib/lifecycle/races/race-schema.ts";
import type { ConnectionKind, StartTaskInput, TaskDetail } from "@/lib/tasks/task-schema.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { ApiError, api, errorSentence, newIdempotencyKey } from "@/lib/web/client/base/client.ts";
import { onboardingKey } from "@/lib/web/client/onboarding.ts";
import { serverKeys } from "@/lib/web/client/servers.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";
import { type Problem, toPath } from "./arguments/judge-arguments.ts";
import type { Json } from "./arguments/schema-tree.ts";

/** The input of a start: a task, a repetition of an earlier task, or a race. */
export type Start =
  | { kind: "task"; input: StartTaskInput }
  | {
      kind: "again";
      of: string;
      input: {
        arguments: Json;
        acknowledgeToolChange?: string;
        acknowledgeConnectionChange?: ConnectionKind;
      };
    }
  | { kind: "race"; input: StartRaceInput };

export interface Refusal {
  sentence: string;
  problems: Problem[];
  /** In a race, the index of the refused start. */
  start: number | null;
  /** The connection that a restart would change to, and to which the person has to agree. */
  change: ConnectionChange | null;
}

/**
 * Sends a start and opens its task. An idempotency key makes a double press, or a retry after a lost reply,
 * start one task.
 */
export function useStart() {
  const router = useRouter();
  const client = useQueryClient();
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  // A changed body gets a new key; a repeated body keeps its key.
  const [sent, setSent] = useState({ body: "", key: "" });

  const start = async (what: Start): Promise<Refusal | null> => {
    const body = JSON.stringify(what);
    const key = sent.body === body ? sent.key : newIdempotencyKey();
    setSent({ body, key });
    setPending(true);
    setRefusal(null);
    try {
      const { id, name } = await send(what, { "idempotency-key": key });
      void client.invalidateQueries({ queryKey: taskKeys.lists });
      void client.invalidateQueries({ queryKey: onboardingKey });
      // The start acknowledged the change of the tool.
      void client.invalidateQueries({ queryKey: serverKeys.all });
      toast(`Started ${name}`);
      router.push(`/tasks/${id}`);
      return null;
    } catch (error) {
      setPending(false);
      const refused = toRefusal(error);
      setRefusal(refused);
      return refused;
    }
  };
  return { start, pending, refusal, setRefusal };
}

async function send(what: Start, headers: Record<string, string>): Promise<{ id: string; name: string }> {
  if (what.kind === "race") {
    const { tasks } = await api.post<Race>("/api/v1/races", what.input, headers);
    const [first] = tasks;
    if (!first) throw new Error("a race without tasks");
    return { id: first.id, name: `${first.label ?? first.tool} on ${tasks.length} servers` };
  }
  const path = what.kind === "again" ? `/api/v1/tasks/${what.of}/restart` : "/api/v1/tasks";
  const task = await api.post<TaskDetail>(path, what.input, headers);
  return { id: task.id, name: task.label ?? task.tool };
}

function toRefusal(error: unknown): Refusal {
  if (!(error instanceof ApiError))
    return { sentence: errorSentence(error), problems: [], start: null, change: null };
  const isOfArguments = error.code === "invalid_arguments";
  const problems = isOfArguments
    ? error.errors.map(({ field, message }) => ({ path: toPath(field), message: ownWords(message) }))
    : [];
  return {
    sentence: isOfArguments ? "The tool does not take these arguments." : errorSentence(error),
    problems,
    start: typeof error.extra.start === "number" ? error.extra.start : null,
    change: connectionChangeOf(error),
  };
}

/**
 * Removes the field's name from `lines[0].amount must be number.`, because the message is shown beside the
 * field.
 */
function ownWords(message: string): string {
  return capitalise(message.replace(/^\S+ (?=must |is )/, ""));
}
