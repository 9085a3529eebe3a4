"use client";

import { useId, useState } from "react";
import { Textarea } from "@/components/ui/input.tsx";

/** A comment survives stepping to another request and back, and a reload; not more, it may be private. */
export function useComment(requestId: string): [string, (text: string) => void] {
  const key = `comment:${requestId}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  return [
    text,
    (next) => {
      setText(next);
      if (next) sessionStorage.setItem(key, next);
      else sessionStorage.removeItem(key);
    },
  ];
}

export function CommentBox({
  value,
  onChange,
  disabled,
}: {
  value: string;
  onChange: (text: string) => void;
  disabled: boolean;
}) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-[13px] text-muted">
        <span className="font-medium">Your comment</span> · optional, kept in the timeline
      </label>
      <Textarea
        id={id}
        rows={2}
        maxLength={4000}
        disabled={disabled}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder="Anything the requester should know"
        className="border-line"
      />
    </div>
  );
}
