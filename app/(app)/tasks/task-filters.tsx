"use client";

import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "@/components/shell/use-shortcuts.ts";
import { Input } from "@/components/ui/input.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import { Select } from "@/components/ui/select.tsx";
import { STATE_LABELS } from "@/lib/format/outcome.ts";
import { TASK_STATES } from "@/lib/tasks/schema.ts";

const DEBOUNCE_MS = 250;

export function TaskFilters({
  filter,
  onChange,
}: {
  filter: { state: string; q: string };
  onChange: (next: { state?: string; q?: string }) => void;
}) {
  const [text, setText] = useState(filter.q);
  const input = useRef<HTMLInputElement>(null);
  const send = useRef(onChange);
  useEffect(() => {
    send.current = onChange;
  });
  useEffect(() => {
    if (text.trim() === filter.q) return;
    const timer = setTimeout(() => send.current({ q: text.trim() }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, filter.q]);
  // The search was cleared from elsewhere, e.g. “Show all tasks”.
  const [seen, setSeen] = useState(filter.q);
  if (seen !== filter.q) {
    setSeen(filter.q);
    if (filter.q === "") setText("");
  }
  useShortcuts({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
    },
    escape: () => input.current?.blur(),
  });
  const several = filter.state.includes(",");
  return (
    <search className="flex gap-2.5">
      <span className="relative w-full md:max-w-sm">
        <Search
          aria-hidden
          strokeWidth={1.75}
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        />
        <Input
          ref={input}
          type="search"
          aria-label="Search tasks"
          placeholder="Search tasks"
          className="peer border-line pl-9"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Kbd className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted peer-focus:hidden">
          /
        </Kbd>
      </span>
      <Select
        aria-label="State"
        className="max-w-52 max-md:w-auto [&>select]:border-line"
        value={filter.state}
        onChange={(event) => onChange({ state: event.target.value })}
      >
        <option value="">Any state</option>
        {several && <option value={filter.state}>{filter.state.split(",").map(label).join(", ")}</option>}
        {TASK_STATES.map((state) => (
          <option key={state} value={state}>
            {STATE_LABELS[state]}
          </option>
        ))}
      </Select>
    </search>
  );
}

function label(state: string): string {
  return (STATE_LABELS as Record<string, string>)[state] ?? state;
}
