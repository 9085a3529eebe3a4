"use client";

import { useQueries } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { z } from "zod";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, Select, Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { BEFORE } from "@/lib/agents/agent-schema.ts";
import { type CallRule, callRulesInputSchema } from "@/lib/policy/call-rules/call-rule-schema.ts";
import { BEFORE_LABELS, warningWords } from "@/lib/policy/call-rules/call-rule-words.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { tryCallRules } from "@/lib/web/client/agents.ts";
import { ApiError } from "@/lib/web/client/base/client.ts";
import { seenServerTools } from "@/lib/web/client/servers.ts";
import { ConditionField } from "../conditions/condition-field.tsx";
import { UnreadableOf, useUnreadable } from "../policy/form/problems.tsx";

/** Servers whose tools are offered at once: each server's list is a request. */
const MOST_SERVERS = 20;

/** Offers the tools of some servers, each by its own name. */
function ToolPicker({ servers, onPick }: { servers: Server[]; onPick: (tool: string) => void }) {
  const [chosen, setChosen] = useState("");
  const shown = servers.slice(0, MOST_SERVERS);
  const lists = useQueries({ queries: shown.map(({ id }) => seenServerTools(id)) });
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field
          id="pick-tool"
          label="Tools that servers list"
          description={
            servers.length > shown.length &&
            `Of the first ${shown.length} servers. Tick others to see theirs.`
          }
        >
          {(control) => (
            <Select {...control} value={chosen} onChange={({ target }) => setChosen(target.value)}>
              <option value="">Choose a tool…</option>
              {shown.map(({ id, name }, at) => (
                <optgroup key={id} label={name}>
                  {lists[at]?.data?.items.map((tool) => (
                    <option key={tool.name} value={tool.name}>
                      {tool.name}
                    </option>
                  ))}
                </optgroup>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Button
        disabled={chosen === ""}
        onClick={() => {
          onPick(chosen);
          setChosen("");
        }}
      >
        <Plus aria-hidden strokeWidth={1.75} />
        Add the tool
      </Button>
    </div>
  );
}

interface Props {
  /** Null: a new rule. */
  rule: CallRule | null;
  /** Names of the other rules. */
  names: string[];
  servers: Server[];
  onKeep: (rule: CallRule) => void;
  onClose: () => void;
}

/** One rule. It is kept in the list, which is saved as a whole. */
export function RuleDialog(props: Props) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title={props.rule ? "Edit the rule" : "Add a rule"}
      description="It takes effect when you save the list."
      className="md:max-w-xl"
    >
      <RuleForm {...props} />
    </Dialog>
  );
}

const WHAT_IT_DOES: Record<(typeof BEFORE)[number], string> = {
  allow: "The call is made at once.",
  ask: "The call waits until a person approves it.",
  deny: "The call is not made. The requester is told which rule denied it.",
};

function RuleForm({ rule, names, servers, onKeep, onClose }: Props) {
  const rulesSchema = callRulesInputSchema.shape.rules;
  const [chosen, setChosen] = useState(rule?.servers ?? []);
  const [tools, setTools] = useState(rule?.tools.join("\n") ?? "");
  const [when, setWhen] = useState(rule?.when ?? "");
  const unreadable = useUnreadable();
  /** The rule as it was when it was warned of, and why. */
  const [warned, setWarned] = useState<{ rule: string; messages: string[] } | null>(null);
  const form = useForm({
    schema: z.unknown().transform((value, context) => {
      const parsed = rulesSchema.safeParse([value]);
      const [read] = parsed.data ?? [];
      for (const { path, message } of parsed.error?.issues ?? [])
        context.addIssue({ code: "custom", path: path.slice(1), message });
      for (const { field, message } of unreadable.unread)
        context.addIssue({ code: "custom", path: [field], message });
      if (read && names.includes(read.name))
        context.addIssue({ code: "custom", path: ["name"], message: "Another rule has this name" });
      return read ?? z.NEVER;
    }),
    read: (data) => ({ ...readRule(data, rule, servers), when }),
    send: async (read) => {
      // The server reads the condition, as it will when the list is saved.
      const { warnings } = await tryCallRules([read]).catch(placed);
      const text = JSON.stringify(read);
      if (warnings.length === 0 || warned?.rule === text) return onKeep(read);
      setWarned({ rule: text, messages: warningWords(warnings) });
    },
  });
  const among = servers.filter(({ id }) => chosen.includes(id));
  return (
    <DialogForm
      form={form}
      onClose={onClose}
      send={rule ? "Keep the change" : "Add the rule"}
      sending="Checking…"
    >
      <TextField
        name="name"
        label="Name"
        description="Shown to people who approve such a call or are refused one."
        maxLength={100}
        autoComplete="off"
        defaultValue={rule?.name}
        error={form.errors.name}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 font-medium text-[13px]">Before the call</legend>
        {BEFORE.map((before) => (
          <label key={before} className="flex items-start gap-2 max-md:min-h-11">
            <input
              type="radio"
              name="before"
              value={before}
              defaultChecked={(rule?.before ?? "ask") === before}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span className="text-[13px]">
              <span className="font-medium">{BEFORE_LABELS[before]}</span>
              <span className="block text-muted">{WHAT_IT_DOES[before]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {servers.length > 0 && (
        <fieldset className="flex flex-col gap-1">
          <legend className="mb-1 font-medium text-[13px]">
            Servers<span className="font-normal text-muted"> · none ticked: all</span>
          </legend>
          <div className="flex max-h-40 flex-col overflow-y-auto">
            {servers.map((server) => (
              <label key={server.id} className="flex items-center gap-2 py-1 text-[13px] max-md:min-h-11">
                <input
                  type="checkbox"
                  name="servers"
                  value={server.id}
                  checked={chosen.includes(server.id)}
                  onChange={({ target }) =>
                    setChosen(
                      target.checked ? [...chosen, server.id] : chosen.filter((id) => id !== server.id),
                    )
                  }
                  className="size-4 accent-accent"
                />
                <span className="truncate">{server.name}</span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <Field
        id="tools"
        label="Tools"
        description="One name a line, as the server lists it. Empty: all tools."
        error={Object.entries(form.errors).find(([field]) => field.startsWith("tools"))?.[1]}
      >
        {(control) => (
          <Textarea
            {...control}
            name="tools"
            rows={2}
            className="font-mono text-[13px]"
            spellCheck={false}
            value={tools}
            onChange={({ target }) => setTools(target.value)}
          />
        )}
      </Field>
      {servers.length > 0 && (
        <ToolPicker
          servers={among.length > 0 ? among : servers}
          onPick={(tool) => setTools([...toolsIn(tools).filter((each) => each !== tool), tool].join("\n"))}
        />
      )}
      <UnreadableOf note={unreadable.note}>
        <ConditionField
          rules="call"
          place="when"
          everything="The rule is for each of these calls."
          hint="If it can’t be applied to a call, the call requires approval."
          error={form.errors.when}
          value={when}
          onChange={setWhen}
        />
      </UnreadableOf>
      {warned && (
        <Notice live tone="wait" title={warned.messages.join(". ")}>
          <p>Check the name. If it will exist later, press again to keep the rule as it is.</p>
        </Notice>
      )}
    </DialogForm>
  );
}

/** Servers that were removed since stay in their rule: the form doesn't show them. */
function readRule(data: FormData, rule: CallRule | null, servers: Server[]) {
  const removed = rule?.servers.filter((id) => !servers.some((server) => server.id === id)) ?? [];
  return {
    name: data.get("name"),
    before: data.get("before"),
    servers: [...data.getAll("servers"), ...removed],
    tools: toolsIn(String(data.get("tools"))),
  };
}

function toolsIn(lines: string): string[] {
  return lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Puts the errors of the only rule that was sent to the form's fields. */
function placed(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const errors = error.errors.map(({ field, message }) => ({
    field: field.replace(/^rules\.0\./, "").replace(/^tools\..*/, "tools"),
    message,
  }));
  throw new ApiError(error.status, { ...error.extra, errors });
}
