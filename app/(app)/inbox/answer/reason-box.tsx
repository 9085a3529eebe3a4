"use client";

import { type ReactNode, useId, useState } from "react";
import { Textarea } from "@/components/ui/input.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";

/** Words of one's own, with the caret in them. Ctrl or ⌘ with Enter sends. */
export function ReasonBox({
  label,
  initial,
  above,
  onSend,
  children,
}: {
  label: string;
  initial: string;
  above?: ReactNode;
  onSend: (said: string) => void;
  children: (said: string) => ReactNode;
}) {
  const id = useId();
  const [text, setText] = useState(initial);
  return (
    <div className="flex flex-col gap-4">
      {above}
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="flex items-center gap-1.5 text-[13px] text-muted">
          <span>
            <span className="font-medium">{label}</span> · optional
          </span>
          <Kbd className="ml-auto">Ctrl ↵ sends</Kbd>
        </label>
        <Textarea
          id={id}
          // The caret belongs here: D is pressed to write the reason.
          autoFocus
          rows={3}
          maxLength={3500}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            onSend(text);
          }}
        />
      </div>
      {children(text)}
    </div>
  );
}
