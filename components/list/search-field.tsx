"use client";

import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { cn } from "@/components/ui/cn.ts";
import { Input } from "@/components/ui/field.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";

const DEBOUNCE_MS = 250;

/** Searches 250 ms after the last key, or when the field is left. `value` is the current search, whatever set it. */
export function SearchField({
  label,
  value,
  onChange,
  className,
}: {
  label: string;
  value: string;
  onChange: (q: string) => void;
  className: string;
}) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState({ value, sent: value });
  // A link or a button changed the search: text typed since the last search must not come back.
  if (seen.value !== value) {
    setSeen({ value, sent: value });
    if (value !== seen.sent) setText(value);
  }
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (q: string) => {
    clearTimeout(timer.current);
    setSeen((before) => ({ ...before, sent: q }));
    if (q !== value) onChange(q);
  };
  useShortcuts({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
    },
  });
  return (
    <search className={cn("relative", className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        strokeWidth={1.75}
      />
      <Input
        ref={input}
        type="search"
        enterKeyHint="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => {
          const typed = event.target.value;
          setText(typed);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => send(typed.trim()), DEBOUNCE_MS);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") send(text.trim());
          if (event.key !== "Escape") return;
          // By default Escape empties a search field. Here Escape returns to the results and does nothing
          // else.
          event.preventDefault();
          event.currentTarget.blur();
        }}
        // Before the click that leaves the field: a search that came after it would close what the click opened.
        onBlur={() => send(text.trim())}
        className="peer border-line pl-9"
      />
      <Kbd className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted peer-focus:hidden">
        /
      </Kbd>
    </search>
  );
}
