"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, FieldErrorLine, Select } from "@/components/ui/field.tsx";
import { BEFORE, type Before, type GrantInput } from "@/lib/agents/agent-schema.ts";
import { holdWords } from "@/lib/agents/agent-words.ts";
import { BEFORE_LABELS } from "@/lib/policy/call-rules/call-rule-words.ts";
import { seenServerTools, serverList } from "@/lib/web/client/servers.ts";

/** What is granted next. `tool`: null means all of them, undefined that none is chosen. */
interface Choice {
  serverId: string | null;
  tool: string | null | undefined;
}

/** An agent's grants while they are edited. `all`: with the one that is chosen and not yet among them, since that is meant too. */
export function useGrants(initial: GrantInput[]) {
  const [grants, setGrants] = useState(initial);
  const [choice, setChoice] = useState<Choice>({ serverId: null, tool: undefined });
  const { serverId, tool } = choice;
  const wanted =
    serverId === null || tool === undefined ? null : { serverId, ...(tool !== null && { tool }) };
  const isGranted = grants.some(
    (grant) => grant.serverId === wanted?.serverId && grant.tool === wanted?.tool,
  );
  const chosen: GrantInput | null = isGranted ? null : wanted;
  return { grants, setGrants, choice, setChoice, chosen, all: chosen ? [...grants, chosen] : grants };
}

/** What an agent may call, and what holds where no call rule matches: rows to change or remove, and a line to add one. */
export function GrantFields({
  grants: { grants, setGrants, choice, setChoice, chosen },
  sendLabel,
  errors,
}: {
  grants: ReturnType<typeof useGrants>;
  /** Of the button that sends the form. */
  sendLabel: string;
  errors: FieldErrors;
}) {
  const servers = useQuery(serverList());
  const nameOf = (id: string) => servers.data?.items.find((server) => server.id === id)?.name ?? "a server";
  const errorOf = (index: number) =>
    Object.entries(errors).find(([field]) => `${field}.`.startsWith(`grants.${index}.`))?.[1];
  const change = (index: number, before: Before) =>
    setGrants(grants.map((grant, at) => (at === index ? { ...grant, before } : grant)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-medium text-[13px]">Tools it may call</legend>
      {grants.length === 0 && (
        <p className="text-[13px] text-muted">
          None yet. It can always ask people, and look at its own tasks.
        </p>
      )}
      {grants.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
          {grants.map((grant, index) => {
            const { serverId, tool, before = "allow" } = grant;
            const words = `${tool ?? "All tools"} of ${nameOf(serverId)}`;
            const error = errorOf(index);
            return (
              <li key={`${serverId} ${tool ?? ""}`} className="flex flex-wrap items-center gap-2 px-3 py-2">
                <span className="min-w-0 flex-1 break-words text-[13px]">
                  {tool === undefined ? "All tools" : <span className="break-all font-mono">{tool}</span>}
                  <span className="text-muted"> of {nameOf(serverId)}</span>
                </span>
                <Button
                  size="icon"
                  variant="ghost"
                  aria-label={`Remove ${words}`}
                  onClick={() => setGrants(grants.filter((_, at) => at !== index))}
                >
                  <X aria-hidden strokeWidth={1.75} />
                </Button>
                <span className="flex basis-full items-center justify-between gap-2 text-[13px] text-muted">
                  <span aria-hidden>If no call rule matches</span>
                  <Select
                    aria-label={`If no call rule matches: ${words}`}
                    className="w-44"
                    value={before}
                    onChange={({ target }) =>
                      change(index, BEFORE.find((each) => each === target.value) ?? before)
                    }
                  >
                    {BEFORE.map((each) => (
                      <option key={each} value={each}>
                        {BEFORE_LABELS[each]}
                      </option>
                    ))}
                  </Select>
                </span>
                {error && <FieldErrorLine id={`grants-${index}-error`} message={error} />}
              </li>
            );
          })}
        </ul>
      )}
      {servers.isError && <p className="text-[13px] text-bad">The servers could not be read. Try again.</p>}
      {servers.data?.items.length === 0 && (
        <p className="text-[13px] text-muted">No server is connected yet.</p>
      )}
      {servers.data && servers.data.items.length > 0 && (
        <AddGrant
          servers={servers.data.items}
          choice={choice}
          onChoose={setChoice}
          onAdd={
            chosen &&
            (() => {
              setGrants([...grants, chosen]);
              setChoice({ ...choice, tool: undefined });
            })
          }
        />
      )}
      {chosen && (
        <p role="status" className="text-[13px] text-muted">
          “{sendLabel}” also grants {chosen.tool ?? "all tools"} of {nameOf(chosen.serverId)}.
        </p>
      )}
      {errorOf(grants.length) && (
        <FieldErrorLine id="grants-chosen-error" message={errorOf(grants.length) ?? ""} />
      )}
    </fieldset>
  );
}

const ALL_TOOLS = "all";
const ONE_TOOL = "tool:";

function AddGrant({
  servers,
  choice,
  onChoose,
  onAdd,
}: {
  servers: { id: string; name: string }[];
  choice: Choice;
  onChoose: (choice: Choice) => void;
  /** Null: nothing is chosen that is not granted. */
  onAdd: (() => void) | null;
}) {
  const serverId = choice.serverId ?? servers[0]?.id ?? "";
  const tools = useQuery({ ...seenServerTools(serverId), enabled: serverId !== "" });
  const { tool } = choice;
  return (
    <div className="grid grid-cols-[1fr_1fr_auto] items-end gap-2 max-md:grid-cols-1">
      <Field id="grant-server" label="Server" required>
        {(control) => (
          <Select
            {...control}
            value={serverId}
            onChange={({ target }) => onChoose({ serverId: target.value, tool: undefined })}
          >
            {servers.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="grant-tool" label="Tool" required>
        {(control) => (
          <Select
            {...control}
            value={tool === undefined ? "" : tool === null ? ALL_TOOLS : `${ONE_TOOL}${tool}`}
            onChange={({ target }) => onChoose({ serverId, tool: toolIn(target.value) })}
          >
            <option value="">Choose…</option>
            <option value={ALL_TOOLS}>All tools</option>
            {tools.data?.items.map(({ name }) => (
              <option key={name} value={`${ONE_TOOL}${name}`}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Button disabled={onAdd === null} onClick={() => onAdd?.()}>
        <Plus aria-hidden strokeWidth={1.75} />
        Grant
      </Button>
    </div>
  );
}

function toolIn(value: string): Choice["tool"] {
  if (value === "") return undefined;
  return value === ALL_TOOLS ? null : value.slice(ONE_TOOL.length);
}

const HOLDS = [0, 20_000, 50_000, 110_000, 210_000];

/** How long a call waits for its result. Read by `readHold`. */
export function HoldField({ holdMs, error }: { holdMs: number | null; error: string | undefined }) {
  const offered = [...new Set([...HOLDS, ...(holdMs === null ? [] : [holdMs])])].sort((a, b) => a - b);
  return (
    <Field
      id="holdMs"
      label="Wait up to"
      description="How long the agent’s call stays open while it waits. Then the call returns a task id, and the agent calls wait_for_task with it. Most clients give up after a minute."
      required
      error={error}
    >
      {(control) => (
        <Select {...control} name="holdMs" defaultValue={holdMs ?? ""}>
          <option value="">{holdWords(null)}</option>
          {offered.map((each) => (
            <option key={each} value={each}>
              {holdWords(each)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Null: as the client can bear. */
export function readHold(data: FormData): number | null {
  const chosen = data.get("holdMs");
  return chosen ? Number(chosen) : null;
}
