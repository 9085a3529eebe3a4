"use client";

import { type SubmitEvent, useMemo, useState } from "react";
import { ToolChanged } from "@/components/server/tool-changed.tsx";
import { type ConnectionChange, ConnectionChanged } from "@/components/task/connection-changed.tsx";
import { NOT_DURABLE } from "@/components/task/durability.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Field, Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { TabPanel, Tabs } from "@/components/ui/tabs.tsx";
import type { ServerTool } from "@/lib/servers/server-schema.ts";
import { isRepeatable } from "@/lib/tasks/task-status.ts";
import { capitalise, humanise, plural } from "@/lib/text/labels.ts";
import { RaceOptions } from "../race-options.tsx";
import { RecentArguments } from "../recent-arguments.tsx";
import { NO_RETRY, RetryOptions, toRetry } from "../retry-options.tsx";
import { fitsSamples, isWrapped, SampleButtons } from "../sample-buttons.tsx";
import { type Start, useStart } from "../use-start.ts";
import { ArgumentsTab } from "./arguments-tab.tsx";
import { emptyArguments, readForm, showsProblem } from "./form-schema.ts";
import { idOf, judge, type Problem, pathInWords } from "./judge-arguments.ts";
import type { Json } from "./schema-tree.ts";

/** The tool's form and its raw JSON: two views of the same arguments. */
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
  const read = useMemo(() => readForm(tool.inputSchema), [tool]);
  const drawn = "form" in read ? read.form : null;
  const [values, setValues] = useState<Json>(() => again?.arguments ?? (drawn ? emptyArguments(drawn) : {}));
  const [isBroken, setBroken] = useState(false);
  const form = isBroken ? null : drawn;
  const reason = "reason" in read ? read.reason : isBroken ? "Its schema can’t be drawn as a form." : null;
  const [tab, setTab] = useState(form ? "form" : "json");
  const [jsonValid, setJsonValid] = useState(true);
  const [own, setOwn] = useState<Problem[]>([]);
  const [retry, setRetry] = useState(NO_RETRY);
  const [others, setOthers] = useState<string[] | null>(null);
  const [seen, setSeen] = useState(false);
  const [connection, setConnection] = useState<ConnectionChange | null>(null);
  const [agreed, setAgreed] = useState(false);
  const mayStart = jsonValid && (tool.change === null || seen) && (connection === null || agreed);
  const { start, pending, refusal, setRefusal } = useStart();
  const isRace = others !== null && others.length > 0;
  const repeatable = isRepeatable(tool.annotations);
  const planned = isRace ? null : toRetry(retry, repeatable);
  const problems = own.length > 0 ? own : (refusal?.problems ?? []);

  const change = (next: Json) => {
    setValues(next);
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
    const found = read.judge ? judge(read.judge, values).map(inField) : [];
    setOwn(found);
    if (found[0]) return focusProblem(found[0], tab);
    const refused = await start(what());
    if (refused?.problems[0]) focusProblem(refused.problems[0], tab);
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
      <Tabs
        value={tab}
        onChange={(next) => {
          setTab(next);
          // Invalid JSON is lost with its tab: the form shows the last valid arguments.
          setJsonValid(true);
        }}
        tabs={[
          { value: "form", label: "Form" },
          { value: "json", label: "JSON" },
        ]}
      >
        <TabPanel value="form">
          <ArgumentsTab
            form={form}
            reason={reason}
            values={values}
            problems={problems}
            onChange={change}
            onBroken={() => {
              setBroken(true);
              setTab("json");
            }}
          />
        </TabPanel>
        <TabPanel value="json">
          {reason && <p className="mb-3 text-[13px] text-muted">{reason} Write the arguments as JSON.</p>}
          <JsonInput
            value={values}
            onChange={(next) => {
              setJsonValid(next !== null);
              if (next) change(next);
            }}
          />
        </TabPanel>
      </Tabs>
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
          form={tab === "form" ? form : null}
        />
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

/** Turns the message into a sentence beside its field. */
function inField({ path, message }: Problem): Problem {
  return { path, message: `${capitalise(message)}.` };
}

/** Focuses the field, else the nearest group around it; in the JSON tab, the text. */
function focusProblem({ path }: Problem, tab: string): void {
  const ids = path.map((_, at) => idOf(path.slice(0, path.length - at)));
  const fields = (tab === "json" ? ["arguments-json"] : ids).map((id) => document.getElementById(id));
  fields.find((field) => field !== null)?.focus();
}

/**
 * Why no task was started, with a link to each invalid field. A message that stands at its field is not said twice; on a
 * phone such fields are not listed either. `form`: null in the JSON tab.
 */
function ProblemList({
  sentence,
  problems,
  form,
}: {
  sentence: string | null;
  problems: Problem[];
  form: Json | null;
}) {
  if (sentence === null && problems.length === 0) return null;
  // Of several at one field, the first.
  const listed = [...Map.groupBy(problems, ({ path }) => path.join("/")).values()].flatMap(
    ([one]) => one ?? [],
  );
  return (
    <Notice live tone="bad" title={sentence ?? "The tool does not take these arguments."}>
      <ul className="flex max-h-32 flex-wrap gap-x-4 overflow-y-auto empty:hidden">
        {listed.map((problem) => {
          const isAtField = form !== null && showsProblem(form, problem.path);
          return (
            <li key={problem.path.join("/")} className={cn(isAtField && "max-md:hidden")}>
              <Button
                variant="link"
                size="sm"
                className="px-0 text-left"
                onClick={() => focusProblem(problem, form ? "form" : "json")}
              >
                {nameOf(problem, form) || "Arguments"}
              </Button>{" "}
              {!isAtField && problem.message}
            </li>
          );
        })}
      </ul>
      <p>No task was started.</p>
    </Notice>
  );
}

/** The form calls its fields by titles, the JSON by names. */
function nameOf({ path }: Problem, form: Json | null): string {
  return pathInWords(form ? path.map((part) => (typeof part === "string" ? humanise(part) : part)) : path);
}

/** The arguments as text. Remounts when its tab opens, so it always starts from the form's values. */
function JsonInput({
  value,
  onChange,
}: {
  value: Record<string, unknown>;
  /** Receives the parsed object, or null while the text is invalid. */
  onChange: (value: Record<string, unknown> | null) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parse(text);
  return (
    <Field
      id="arguments-json"
      label="Arguments"
      description="A JSON object, sent to the tool as it is."
      error={parsed.error}
      required
    >
      {(control) => (
        <Textarea
          {...control}
          rows={14}
          spellCheck={false}
          className="font-mono text-[13px]"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            onChange(parse(event.target.value).value);
          }}
        />
      )}
    </Field>
  );
}

function parse(text: string): { value: Record<string, unknown> | null; error?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value: { ...value } };
    return { value: null, error: "An object is needed: { … }" };
  } catch (error) {
    return { value: null, error: error instanceof Error ? error.message : "This is not JSON" };
  }
}
