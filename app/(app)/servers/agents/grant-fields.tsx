"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, FieldErrorLine } from "@/components/ui/field.tsx";
import { Select } from "@/components/ui/select.tsx";
import { BEFORE, type Before, type GrantInput } from "@/lib/agents/schema.ts";
import { seenServerTools, serverList } from "@/lib/api-client/servers.ts";
import { BEFORE_LABELS } from "@/lib/format/call-rules.ts";

const EVERY_TOOL = "";

/** What an agent may call, and what holds where no call rule matches: rows to change or remove, and a line to add one. */
export function GrantFields({
  grants,
  onChange,
  errors,
}: {
  grants: GrantInput[];
  onChange: (grants: GrantInput[]) => void;
  errors: FieldErrors;
}) {
  const servers = useQuery(serverList());
  const nameOf = (id: string) => servers.data?.items.find((server) => server.id === id)?.name ?? "a server";
  const change = (index: number, before: Before) =>
    onChange(grants.map((grant, at) => (at === index ? { ...grant, before } : grant)));
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
            const error = Object.entries(errors).find(([field]) => field.startsWith(`grants.${index}`))?.[1];
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
                  onClick={() => onChange(grants.filter((_, at) => at !== index))}
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
          isGranted={(serverId, tool) =>
            grants.some((grant) => grant.serverId === serverId && grant.tool === tool)
          }
          onAdd={(grant) => onChange([...grants, grant])}
        />
      )}
    </fieldset>
  );
}

function AddGrant({
  servers,
  isGranted,
  onAdd,
}: {
  servers: { id: string; name: string }[];
  isGranted: (serverId: string, tool: string | undefined) => boolean;
  onAdd: (grant: GrantInput) => void;
}) {
  const [serverId, setServerId] = useState(servers[0]?.id ?? "");
  const [chosen, setChosen] = useState(EVERY_TOOL);
  const tools = useQuery({ ...seenServerTools(serverId), enabled: serverId !== "" });
  const tool = chosen === EVERY_TOOL ? undefined : chosen;
  return (
    <div className="grid grid-cols-[1fr_1fr_auto] items-end gap-2 max-md:grid-cols-1">
      <Field id="grant-server" label="Server" required>
        {(control) => (
          <Select
            {...control}
            value={serverId}
            onChange={(event) => {
              setServerId(event.target.value);
              setChosen(EVERY_TOOL);
            }}
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
          <Select {...control} value={chosen} onChange={(event) => setChosen(event.target.value)}>
            <option value={EVERY_TOOL}>All tools</option>
            {tools.data?.items.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Button
        disabled={isGranted(serverId, tool)}
        onClick={() => onAdd({ serverId, ...(tool !== undefined && { tool }) })}
      >
        <Plus aria-hidden strokeWidth={1.75} />
        Grant
      </Button>
    </div>
  );
}
