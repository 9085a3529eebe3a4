"use client";

import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { Input } from "@/components/ui/input.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";

const DEBOUNCE_MS = 250;

export function TaskSearch({ value, onChange }: { value: string; onChange: (q: string) => void }) {
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
  // The search was changed from elsewhere, e.g. by a saved view or “Show all tasks”.
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    if (text.trim() !== value) setText(value);
  }
  useShortcuts({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
    },
    escape: () => {
      if (document.activeElement === input.current) input.current?.blur();
    },
  });
  return (
    <search className="relative w-full md:max-w-xs">
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
      <Kbd className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted peer-focus:hidden max-md:hidden">
        /
      </Kbd>
    </search>
  );
}
