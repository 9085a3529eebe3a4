"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { chosenDate } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Input, Select } from "@/components/ui/field.tsx";
import { actors, type EventFilter } from "@/lib/web/client/events.ts";
import { EVENT_GROUPS } from "@/lib/web/words/event-groups.ts";

/** Filters by event, person and time. Filters set by links (a task, a former member) can be removed here. */
export function ActivityFilters({
  shown,
  filtered,
  onChange,
  onClear,
}: {
  shown: EventFilter;
  filtered: boolean;
  onChange: (next: Partial<EventFilter>) => void;
  onClear: () => void;
}) {
  const formats = useFormats();
  const about = shown.inputRequestId ? "one request" : shown.taskId ? "one task" : null;
  return (
    <search aria-label="Filter" className="flex flex-wrap items-end gap-2.5">
      <Labelled label="What">
        {(id) => (
          <Select
            id={id}
            className="md:w-60 [&>select]:border-line"
            value={shown.type}
            onChange={(event) => onChange({ type: event.target.value })}
          >
            <option value="">Everything</option>
            {EVENT_GROUPS.map(({ label, nouns }) => (
              <option key={label} value={nouns.join(",")}>
                {label}
              </option>
            ))}
            {!KNOWN.has(shown.type) && <option value={shown.type}>{shown.type}</option>}
          </Select>
        )}
      </Labelled>
      <Labelled label="Who">
        {(id) => <ActorSelect id={id} value={shown.actorId} onChange={(actorId) => onChange({ actorId })} />}
      </Labelled>
      <Labelled label="From" note={chosenDate(shown.from, formats)}>
        {(id) => (
          <Input
            id={id}
            type="date"
            aria-describedby={`${id}-note`}
            className="border-line"
            max={shown.to || undefined}
            value={shown.from}
            onChange={(event) => onChange({ from: event.target.value })}
          />
        )}
      </Labelled>
      <Labelled label="Until" note={chosenDate(shown.to, formats)}>
        {(id) => (
          <Input
            id={id}
            type="date"
            aria-describedby={`${id}-note`}
            className="border-line"
            min={shown.from || undefined}
            value={shown.to}
            onChange={(event) => onChange({ to: event.target.value })}
          />
        )}
      </Labelled>
      {about && (
        <Button variant="ghost" onClick={() => onChange({ taskId: "", inputRequestId: "" })}>
          <X aria-hidden strokeWidth={1.75} />
          <span>
            <span className="sr-only">No longer </span>only {about}
          </span>
        </Button>
      )}
      {filtered && (
        <Button variant="ghost" onClick={onClear}>
          Clear
        </Button>
      )}
    </search>
  );
}

const KNOWN = new Set(["", ...EVENT_GROUPS.map(({ nouns }) => nouns.join(","))]);

function Labelled({
  label,
  note,
  children,
}: {
  label: string;
  note?: string | undefined;
  children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1 max-md:w-[calc(50%-5px)]">
      <span className="flex gap-1.5 text-[13px] text-muted">
        <label htmlFor={id}>{label}</label>
        <span id={`${id}-note`} className="truncate">
          {note}
        </span>
      </span>
      {children(id)}
    </div>
  );
}

function ActorSelect({
  id,
  value,
  onChange,
}: {
  id: string;
  value: string;
  onChange: (actorId: string) => void;
}) {
  const { data } = useQuery(actors());
  const known = [...(data?.members ?? []), ...(data?.keys ?? [])].some((actor) => actor.id === value);
  return (
    <Select
      id={id}
      className="md:w-48 [&>select]:border-line"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">Everybody</option>
      {value !== "" && !known && <option value={value}>{data ? "Somebody who left" : "One person"}</option>}
      {data && data.members.length > 0 && <Options label="Members" items={data.members} />}
      {data && data.keys.length > 0 && <Options label="API keys" items={data.keys} />}
    </Select>
  );
}

function Options({ label, items }: { label: string; items: { id: string; name: string }[] }) {
  return (
    <optgroup label={label}>
      {items.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}
