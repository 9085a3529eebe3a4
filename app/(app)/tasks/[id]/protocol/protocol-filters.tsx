"use client";

import { useEffect, useState } from "react";
import { Input } from "@/components/ui/input.tsx";
import { Select } from "@/components/ui/select.tsx";
import type { MessageFilter } from "@/lib/api-client/tasks/task-messages.ts";

const DEBOUNCE_MS = 250;

/** The filters of the protocol log. */
export function ProtocolFilters({
  filter,
  methods,
  onChange,
}: {
  filter: MessageFilter;
  methods: string[];
  onChange: (filter: MessageFilter) => void;
}) {
  const [text, setText] = useState(filter.q);
  useEffect(() => {
    if (text.trim() === filter.q) return;
    const timer = setTimeout(() => onChange({ ...filter, q: text.trim() }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, filter, onChange]);
  return (
    <search className="flex flex-wrap gap-2.5">
      <Input
        type="search"
        aria-label="Search in the messages"
        placeholder="Search in the messages"
        className="md:max-w-xs"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Select
        aria-label="Direction"
        className="base:md:w-44"
        value={filter.direction}
        onChange={(event) => onChange({ ...filter, direction: event.target.value })}
      >
        <option value="">Sent and received</option>
        <option value="out">Sent</option>
        <option value="in">Received</option>
      </Select>
      <Select
        aria-label="Method"
        className="base:md:w-56"
        value={filter.method}
        onChange={(event) => onChange({ ...filter, method: event.target.value })}
      >
        <option value="">All methods</option>
        {methods.map((method) => (
          <option key={method}>{method}</option>
        ))}
      </Select>
    </search>
  );
}
