"use client";

import type { RefObject } from "react";
import { Textarea } from "@/components/ui/field.tsx";
import { Segments } from "../../segments.tsx";
import type { Format } from "./policy-text.ts";

/** The policy as text, in JSON or YAML. */
export function TextPane({
  box,
  text,
  format,
  describedBy,
  isWrong,
  onChange,
  onFormat,
}: {
  box: RefObject<HTMLTextAreaElement | null>;
  text: string;
  format: Format;
  describedBy: string | undefined;
  isWrong: boolean;
  onChange: (text: string) => void;
  onFormat: (format: Format) => void;
}) {
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      <Segments label="Format of the text" value={format} options={["JSON", "YAML"]} onChange={onFormat} />
      <Textarea
        ref={box}
        aria-label={`Policy as ${format}`}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        spellCheck={false}
        rows={24}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        className="min-h-96 flex-1 border-line font-mono text-[13px]"
      />
      <p className="text-muted text-xs">
        <code>version</code> is that of the format. <code>docs/governance.md</code>, which comes with Intray,
        describes each property.
        {format === "YAML" && " Comments stay while you edit here. They are not saved with the policy."}
      </p>
    </div>
  );
}
