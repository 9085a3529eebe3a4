"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useMemo, useState } from "react";
import { ApiError, api, errorSentence } from "@/components/api/client.ts";
import { serverKeys } from "@/components/api/server-keys.ts";
import { taskKeys } from "@/components/api/task-keys.ts";
import { ToolChanged } from "@/components/server/tool-changed.tsx";
import { NOT_DURABLE } from "@/components/task/durability.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { TabPanel, Tabs } from "@/components/ui/tabs.tsx";
import { toast } from "@/components/ui/toast.ts";
import type { ServerTool } from "@/lib/servers/schema.ts";
import type { StartTaskInput, TaskDetail } from "@/lib/tasks/schema.ts";
import { ObjectFields } from "./argument-input.tsx";
import { emptyValue, readArgumentSchema } from "./argument-schema.ts";
import { JsonInput } from "./json-input.tsx";
import { SampleButtons } from "./sample-buttons.tsx";

type Arguments = Record<string, unknown>;

/** The tool's form and its raw JSON: two views of the same arguments. */
export function ArgumentsForm({
  serverId,
  tool,
  demo,
}: {
  serverId: string;
  tool: ServerTool;
  demo: boolean;
}) {
  const router = useRouter();
  const client = useQueryClient();
  const node = useMemo(() => readArgumentSchema(tool.inputSchema), [tool]);
  const form = node?.kind === "object" ? node : null;
  const [values, setValues] = useState<Arguments>(() => (form ? (emptyValue(form) as Arguments) : {}));
  const [tab, setTab] = useState(form ? "form" : "json");
  const [jsonValid, setJsonValid] = useState(true);
  const [errors, setErrors] = useState(new Map<string, string>());
  const [failure, setFailure] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const [seen, setSeen] = useState(false);
  const mayStart = jsonValid && (tool.change === null || seen);
  // One key for one form: pressing twice, or again after a lost reply, starts one task.
  const [key, setKey] = useState(() => newKey());

  const change = (next: Arguments) => {
    setValues(next);
    // Other arguments are another task; the key of a form that was sent belongs to what was sent.
    setKey(newKey());
  };

  const onSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (pending || !mayStart) return;
    setPending(true);
    setFailure(null);
    setErrors(new Map());
    const input: StartTaskInput = {
      serverId,
      tool: tool.name,
      arguments: values,
      ...(tool.change && { acknowledgeToolChange: tool.digest }),
    };
    try {
      const task = await api.post<TaskDetail>("/api/v1/tasks", input, { "idempotency-key": key });
      void client.invalidateQueries({ queryKey: taskKeys.lists });
      if (tool.change) void client.invalidateQueries({ queryKey: serverKeys.server(serverId) });
      toast(`Started ${task.label ?? tool.name}`);
      router.push(`/tasks/${task.id}`);
    } catch (error) {
      setPending(false);
      const found =
        error instanceof ApiError
          ? error.errors.map((each) => [toPath(each.field), each.message] as const)
          : [];
      setErrors(new Map(found));
      const first = found[0];
      if (first) document.getElementById(`argument-${first[0]}`)?.focus();
      setFailure(found.length > 0 ? "The tool does not take these arguments." : errorSentence(error));
    }
  };

  return (
    <form onSubmit={onSubmit} noValidate className="flex flex-col gap-5">
      <ToolChanged tool={tool} seen={seen} onSeen={setSeen} />
      {demo && tool.name === "process_invoice" && <SampleButtons wrapped={isWrapped(tool)} onFill={change} />}
      <Tabs
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "form", label: "Form" },
          { value: "json", label: "JSON" },
        ]}
      >
        <TabPanel value="form">
          {form ? (
            <div className="flex flex-col gap-4">
              {form.fields.length === 0 && <p className="text-muted">This tool takes no arguments.</p>}
              <ObjectFields
                fields={form.fields}
                path=""
                value={values}
                errors={errors}
                onChange={(next) => change(next as Arguments)}
              />
            </div>
          ) : (
            <p className="text-muted">
              The arguments of this tool are too intricate for a form. Write them as JSON.
            </p>
          )}
        </TabPanel>
        <TabPanel value="json">
          <JsonInput
            value={values}
            onChange={(next) => {
              setJsonValid(next !== null);
              if (next) change(next);
            }}
          />
        </TabPanel>
      </Tabs>
      {tool.taskSupport === "forbidden" && (
        <Notice tone="wait" title="Not durable: this call ends with its connection.">
          <p>{NOT_DURABLE}</p>
        </Notice>
      )}
      {failure && (
        <Notice live tone="bad" title={failure}>
          <ul>
            {[...errors].map(([path, message]) => (
              <li key={path}>
                {path ? `${path.replaceAll("/", " › ")}: ` : ""}
                {message}
              </li>
            ))}
          </ul>
          <p>No task was started.</p>
        </Notice>
      )}
      <Button
        type="submit"
        variant="primary"
        className="self-start max-md:w-full"
        disabled={pending || !mayStart}
      >
        {pending ? "Starting…" : "Start task"}
      </Button>
    </form>
  );
}

/** `crypto.randomUUID` needs a secure context; a plain-http address in an office has none. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** The API may write `/lines/0/amount`, `lines.0.amount` or `arguments.lines[0].amount`. */
function toPath(field: string): string {
  return field
    .replace(/\[(\d+)\]/g, "/$1")
    .replace(/^[/.]?(arguments(?=[/.]|$))?[/.]?/, "")
    .replaceAll(".", "/");
}

/** Some servers take the whole invoice as one argument named `invoice`. */
function isWrapped(tool: ServerTool): boolean {
  const properties = (tool.inputSchema.properties ?? {}) as Arguments;
  return "invoice" in properties && !("invoice_id" in properties);
}
