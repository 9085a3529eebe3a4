"use client";

import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "@/components/shell/use-shortcuts.ts";
import { Input } from "@/components/ui/input.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";

const DEBOUNCE_MS = 250;

export function InboxSearch({ value, onChange }: { value: string; onChange: (q: string) => void }) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const send = useRef(onChange);
  useEffect(() => {
    send.current = onChange;
  });
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => send.current(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  useShortcuts({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
    },
  });
  return (
    <search className="relative border-line px-3 py-2.5 md:px-4">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-6 size-4 -translate-y-1/2 text-muted md:left-7"
        strokeWidth={1.75}
      />
      <Input
        ref={input}
        type="search"
        aria-label="Search requests"
        placeholder="Search requests"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        className="peer border-line pl-9"
      />
      <Kbd className="pointer-events-none absolute top-1/2 right-6.5 -translate-y-1/2 text-muted peer-focus:hidden">
        /
      </Kbd>
    </search>
  );
}
