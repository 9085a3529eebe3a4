"use client";

import { useId } from "react";
import { Textarea } from "@/components/ui/input.tsx";

export function CommentBox({
  value,
  onChange,
  onBlur,
  disabled,
}: {
  value: string;
  onChange: (text: string) => void;
  onBlur: () => void;
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
        onBlur={onBlur}
        onChange={(event) => onChange(event.target.value)}
        placeholder="Anything the requester should know"
        className="border-line"
      />
    </div>
  );
}
