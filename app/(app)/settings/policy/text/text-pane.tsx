"use client";

import type { RefObject } from "react";
import { cn } from "@/components/ui/cn.ts";
import { Textarea } from "@/components/ui/input.tsx";
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
        describes each property and what conditions can use.
        {format === "YAML" && " Comments are not saved."}
      </p>
    </div>
  );
}

/** A few buttons of which one is pressed. */
export function Segments<T extends string>({
  label,
  value,
  options,
  className,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly T[];
  className?: string;
  onChange: (value: T) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend of its own
    <div role="group" aria-label={label} className={cn("flex gap-1.5", className)}>
      {options.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === value}
          onClick={() => onChange(each)}
          className={cn(
            "flex h-7 items-center rounded-md px-2.5 text-[13px] max-md:h-11 max-md:px-3",
            each === value ? "bg-accent-soft font-medium text-accent" : "bg-sunken text-muted hover:text-ink",
          )}
        >
          {each}
        </button>
      ))}
    </div>
  );
}
