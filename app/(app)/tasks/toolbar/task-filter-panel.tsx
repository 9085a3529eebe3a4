"use client";

import { useQuery } from "@tanstack/react-query";
import { Popover } from "radix-ui";
import { type ReactNode, type RefObject, useId, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Input } from "@/components/ui/input.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { Select } from "@/components/ui/select.tsx";
import { isWide } from "@/components/ui/wide.ts";
import { serverList } from "@/lib/api-client/servers.ts";
import {
  attentionWords,
  NO_TASK_FILTERS,
  ORDER_WORDS,
  SPAN_WORDS,
  type TaskFilters,
} from "@/lib/format/tasks/task-filters.ts";
import { ATTENTION_CODES } from "@/lib/tasks/attention.ts";
import type { TaskSummary } from "@/lib/tasks/schema.ts";

interface TaskFilterPanelProps {
  filters: TaskFilters;
  tasks: TaskSummary[];
  anchor: RefObject<HTMLElement | null>;
  onClose: () => void;
  onApply: (filters: Partial<TaskFilters>) => void;
}

/** Beside its button on a wide screen, from the bottom on a phone. */
export function TaskFilterPanel({ filters, tasks, anchor, onClose, onApply }: TaskFilterPanelProps) {
  const [wide] = useState(isWide);
  const apply = (change: Partial<TaskFilters>) => {
    onApply(change);
    onClose();
  };
  const form = <FilterForm filters={filters} tasks={tasks} onApply={apply} />;
  if (!wide) {
    return (
      <Dialog open onOpenChange={(open) => !open && onClose()} title="Filter tasks">
        {form}
      </Dialog>
    );
  }
  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal container={document.getElementById("main")}>
        <Popover.Content
          aria-label="Filter tasks"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 w-80 rounded-lg border border-line bg-panel p-4 shadow-pop outline-none"
          onInteractOutside={(event) => {
            // Its own button closes it by itself.
            if (anchor.current?.contains(event.target as Node)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            anchor.current?.focus();
          }}
        >
          {form}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** What the form sets; everything else is as it was. */
const FIELDS = ["attention", "serverId", "tool", "requester", "since", "order"] as const;
/** Instants come with links from charts; whoever chooses a span means that instead. */
const INSTANTS = { createdAfter: "", createdBefore: "" };

function FilterForm({
  filters,
  tasks,
  onApply,
}: Pick<TaskFilterPanelProps, "filters" | "tasks" | "onApply">) {
  const id = useId();
  const { data: servers } = useQuery(serverList());
  const tools = [...new Set(tasks.map((task) => task.tool))].sort();
  const people = new Map(
    tasks.flatMap(({ requestedBy: { id: who, name } }) => (who ? [[who, name] as const] : [])),
  );
  if (filters.requester && filters.requester !== "me" && !people.has(filters.requester))
    people.set(filters.requester, "The one chosen");
  return (
    <form
      noValidate
      className="flex flex-col gap-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const chosen = FIELDS.map((name) => [name, String(given.get(name) ?? "").trim()]);
        onApply({ ...Object.fromEntries(chosen), ...(given.get("since") && INSTANTS) });
      }}
    >
      <Line id={`${id}attention`} label="Attention">
        <Select id={`${id}attention`} name="attention" defaultValue={filters.attention}>
          <option value="">Whether it needs it or not</option>
          {["stuck", "any", ...ATTENTION_CODES].map((value) => (
            <option key={value} value={value}>
              {attentionWords(value)}
            </option>
          ))}
          {filters.attention.includes(",") && (
            <option value={filters.attention}>{attentionWords(filters.attention)}</option>
          )}
        </Select>
      </Line>
      <Line id={`${id}server`} label="Server">
        <Select
          id={`${id}server`}
          name="serverId"
          // The choice can only be shown once the servers are there.
          key={servers ? "loaded" : "loading"}
          defaultValue={filters.serverId}
        >
          <option value="">Any server</option>
          {servers?.items.map((server) => (
            <option key={server.id} value={server.id}>
              {server.name}
            </option>
          ))}
        </Select>
      </Line>
      <Line id={`${id}tool`} label="Tool">
        <Input
          id={`${id}tool`}
          name="tool"
          list={`${id}tools`}
          autoComplete="off"
          placeholder="Any tool"
          defaultValue={filters.tool}
        />
        <datalist id={`${id}tools`}>
          {tools.map((tool) => (
            <option key={tool} value={tool} />
          ))}
        </datalist>
      </Line>
      <Line id={`${id}requester`} label="Started by">
        <Select id={`${id}requester`} name="requester" defaultValue={filters.requester}>
          <option value="">Anybody</option>
          <option value="me">Me</option>
          {[...people].map(([who, name]) => (
            <option key={who} value={who}>
              {name}
            </option>
          ))}
        </Select>
      </Line>
      <Line id={`${id}since`} label="Started within">
        <Select id={`${id}since`} name="since" defaultValue={filters.since}>
          <option value="">Any time</option>
          {Object.entries(SPAN_WORDS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
      </Line>
      <Line id={`${id}order`} label="Order">
        <Select id={`${id}order`} name="order" defaultValue={filters.order || "newest"}>
          {Object.entries(ORDER_WORDS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
      </Line>
      <div className="flex justify-end gap-2 max-md:*:flex-1">
        <Button onClick={() => onApply({ ...NO_TASK_FILTERS, q: filters.q })}>Clear</Button>
        <Button type="submit" variant="primary">
          Show
        </Button>
      </div>
    </form>
  );
}

function Line({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium text-[13px]">
        {label}
      </label>
      {children}
    </div>
  );
}
