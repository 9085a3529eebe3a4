"use client";

import { type SubmitEvent, useState } from "react";
import { ToolChanged } from "@/components/server/tool-changed.tsx";
import { type ConnectionChange, ConnectionChanged } from "@/components/task/connection-changed.tsx";
import { NOT_DURABLE } from "@/components/task/durability.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { ServerTool } from "@/lib/servers/server-schema.ts";
import { isRepeatable } from "@/lib/tasks/task-status.ts";
import { plural } from "@/lib/text/labels.ts";
import { RaceOptions } from "../race-options.tsx";
import { RecentArguments } from "../recent-arguments.tsx";
import { NO_RETRY, RetryOptions, toRetry } from "../retry-options.tsx";
import { fitsSamples, isWrapped, SampleButtons } from "../sample-buttons.tsx";
import { type Start, useStart } from "../use-start.ts";
import { ArgumentsTabs, ProblemList, useArguments } from "./arguments-editor.tsx";
import type { Problem } from "./judge-arguments.ts";
import type { Json } from "./schema-tree.ts";

/** Fills in the arguments of a tool, and starts the task. */
export function ArgumentsForm({
  server,
  tool,
  demo,
  again,
}: {
  server: { id: string; name: string };
  tool: ServerTool;
  demo: boolean;
  /** The task to start again, with its arguments. */
  again: { id: string; arguments: Json } | null;
}) {
  const edited = useArguments(tool.inputSchema, again?.arguments ?? null);
  const { values } = edited;
  const [own, setOwn] = useState<Problem[]>([]);
  const [retry, setRetry] = useState(NO_RETRY);
  const [others, setOthers] = useState<string[] | null>(null);
  const [seen, setSeen] = useState(false);
  const [connection, setConnection] = useState<ConnectionChange | null>(null);
  const [agreed, setAgreed] = useState(false);
  const mayStart = edited.jsonValid && (tool.change === null || seen) && (connection === null || agreed);
  const { start, pending, refusal, setRefusal } = useStart();
  const isRace = others !== null && others.length > 0;
  const repeatable = isRepeatable(tool.annotations);
  const planned = isRace ? null : toRetry(retry, repeatable);
  const problems = own.length > 0 ? own : (refusal?.problems ?? []);

  const change = (next: Json) => {
    edited.setValues(next);
    setOwn([]);
    setRefusal(null);
  };

  const what = (): Start => {
    const call = { tool: tool.name, arguments: values };
    const known = tool.change ? { acknowledgeToolChange: tool.digest } : {};
    if (again) {
      const changed = connection && { acknowledgeConnectionChange: connection.connection };
      return { kind: "again", of: again.id, input: { arguments: values, ...known, ...changed } };
    }
    if (isRace)
      return {
        kind: "race",
        input: {
          starts: [
            { serverId: server.id, ...call, ...known },
            ...others.map((serverId) => ({ serverId, ...call })),
          ],
        },
      };
    return {
      kind: "task",
      input: { serverId: server.id, ...call, ...known, ...(planned && { retry: planned }) },
    };
  };

  const onSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (pending || !mayStart) return;
    if (planned === undefined) return void document.getElementById("retry-insist")?.focus();
    setRefusal(null);
    const found = edited.judged();
    setOwn(found);
    if (found[0]) return edited.focus(found[0]);
    const refused = await start(what());
    if (refused?.problems[0]) edited.focus(refused.problems[0]);
    if (!refused?.change) return;
    setConnection(refused.change);
    setAgreed(false);
  };

  return (
    <form
      onSubmit={onSubmit}
      noValidate
      // The bar at the end covers no field that has the focus.
      className="flex flex-col gap-5 [&_:is(fieldset,input,select,textarea)]:scroll-mb-40"
    >
      <ToolChanged serverId={server.id} tool={tool} seen={seen} onSeen={setSeen} />
      {demo && fitsSamples(tool) && <SampleButtons wrapped={isWrapped(tool)} onFill={change} />}
      {!again && <RecentArguments serverId={server.id} tool={tool.name} onFill={change} />}
      <ArgumentsTabs edited={edited} problems={problems} onChange={change} />
      {!again && (
        <>
          {!isRace && <RetryOptions choice={retry} repeatable={repeatable} onChange={setRetry} />}
          <RaceOptions server={server} tool={tool} chosen={others} onChange={setOthers} />
        </>
      )}
      {tool.taskSupport === "forbidden" && (
        <Notice tone="wait" title="Not durable: this call ends with its connection.">
          <p>{NOT_DURABLE}</p>
        </Notice>
      )}
      {connection && <ConnectionChanged change={connection} agreed={agreed} onAgree={setAgreed} />}
      <div className="-mx-4 sticky bottom-0 -mb-4 flex flex-col gap-3 border-line border-t bg-bg px-4 py-3 md:-mx-6 md:px-6">
        <ProblemList
          sentence={refusal?.change ? null : (refusal?.sentence ?? null)}
          problems={problems}
          edited={edited}
        >
          <p>No task was started.</p>
        </ProblemList>
        <Button
          type="submit"
          variant="primary"
          className="self-start max-md:w-full"
          disabled={pending || !mayStart}
        >
          {pending
            ? "Starting…"
            : again
              ? "Start again"
              : isRace
                ? `Start on ${plural(others.length + 1, "server")}`
                : "Start task"}
        </Button>
      </div>
    </form>
  );
}
