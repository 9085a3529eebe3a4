"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { Field, FieldErrorLine, Select } from "@/components/ui/field.tsx";
import { ACTION_WORDS, may, type Permission } from "@/lib/access/permissions.ts";
import type { Role } from "@/lib/access/roles.ts";
import { seenServerTools, serverList } from "@/lib/web/client/servers.ts";

/** What a key may do: all that its role may, or the actions chosen. Read by `readScope`. */
export function ActionsField({ role, errors }: { role: Role; errors: FieldErrors }) {
  const [choice, setChoice] = useState("all");
  return (
    <>
      <Field id="actions" label="May do" required>
        {(control) => (
          <Select
            {...control}
            name="actions"
            value={choice}
            onChange={(event) => setChoice(event.target.value)}
          >
            <option value="all">All that its role may</option>
            <option value="some">Only some actions…</option>
          </Select>
        )}
      </Field>
      {choice === "some" && (
        <fieldset aria-describedby={errors.permissions ? "permissions-error" : undefined}>
          <legend className="sr-only">Actions</legend>
          <div className="grid gap-x-4 md:grid-cols-2">
            {Object.entries(ACTION_WORDS)
              .filter(([permission]) => may(role, permission as Permission))
              .map(([permission, words]) => (
                <Choice key={permission} name="permissions" value={permission}>
                  {words}
                </Choice>
              ))}
          </div>
          {errors.permissions && <FieldErrorLine id="permissions-error" message={errors.permissions} />}
        </fieldset>
      )}
    </>
  );
}

/** The servers and tools that a key reaches: all, or those chosen. Read by `readScope`. */
export function ReachField({ errors }: { errors: FieldErrors }) {
  const [choice, setChoice] = useState("all");
  const servers = useQuery(serverList());
  const error = errors.servers ?? errors.tools;
  return (
    <>
      <Field id="reach" label="May use" required>
        {(control) => (
          <Select
            {...control}
            name="reach"
            value={choice}
            onChange={(event) => setChoice(event.target.value)}
          >
            <option value="all">All servers and tools</option>
            <option value="some">Only some servers or tools…</option>
          </Select>
        )}
      </Field>
      {choice === "some" && (
        <fieldset aria-describedby={error ? "reach-error" : "reach-note"}>
          <legend className="sr-only">Servers and tools</legend>
          <p id="reach-note" className="mb-1 text-[13px] text-muted">
            The key sees only tasks, requests and servers of this selection. It gets no live updates,
            webhooks, history or settings.
          </p>
          {servers.isPending && <div aria-hidden className="skeleton h-16" />}
          {servers.isError && (
            <p className="text-[13px] text-bad">The servers could not be read. Try again.</p>
          )}
          {servers.data?.items.length === 0 && (
            <p className="text-[13px] text-muted">There are no servers yet.</p>
          )}
          {servers.data?.items.map(({ id, name }) => (
            <ServerChoice key={id} id={id} name={name} />
          ))}
          {error && <FieldErrorLine id="reach-error" message={error} />}
        </fieldset>
      )}
    </>
  );
}

/** A server with all its tools, or, where that is not chosen, single tools of it. */
function ServerChoice({ id, name }: { id: string; name: string }) {
  const [isWhole, setWhole] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const tools = useQuery({ ...seenServerTools(id), enabled: isOpen && !isWhole });
  return (
    <div className="flex flex-col">
      <Choice name="servers" value={id} onChange={setWhole}>
        {name}
      </Choice>
      {!isWhole && (
        <details className="ml-6" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="cursor-pointer py-1 text-[13px] text-muted max-md:py-3">
            Single tools<span className="sr-only"> of {name}</span>
          </summary>
          {tools.isPending && isOpen && <div aria-hidden className="skeleton h-8" />}
          {tools.isError && <p className="text-[13px] text-bad">The tools could not be read.</p>}
          {tools.data?.items.length === 0 && <p className="text-[13px] text-muted">No tools are known.</p>}
          {tools.data?.items.map((tool) => (
            <Choice key={tool.name} name="tools" value={`${id}/${tool.name}`}>
              <span className="break-all font-mono text-[13px]">{tool.name}</span>
            </Choice>
          ))}
        </details>
      )}
    </div>
  );
}

function Choice({
  name,
  value,
  onChange,
  children,
}: {
  name: string;
  value: string;
  onChange?: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <label className="flex min-w-0 items-center gap-2 py-1 max-md:min-h-11">
      <input
        type="checkbox"
        name={name}
        value={value}
        onChange={(event) => onChange?.(event.target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0">{children}</span>
    </label>
  );
}

/** The limits that `ActionsField` and `ReachField` say; where "some" is chosen and nothing named, an empty list. */
export function readScope(data: FormData): { permissions?: unknown; servers?: unknown; tools?: unknown } {
  const [servers, tools] = [data.getAll("servers"), data.getAll("tools")];
  const reach = tools.length === 0 ? { servers } : { tools, ...(servers.length > 0 && { servers }) };
  return {
    ...(data.get("actions") === "some" && { permissions: data.getAll("permissions") }),
    ...(data.get("reach") === "some" && reach),
  };
}
