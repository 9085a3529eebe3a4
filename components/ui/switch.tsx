"use client";

import { type ReactNode, useId } from "react";

/**
 * A switch that takes effect at once. A native checkbox underneath serves every keyboard and screen reader.
 */
export function Switch({
  checked,
  onChange,
  disabled = false,
  label,
  description,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  label: string;
  description?: ReactNode;
}) {
  const id = useId();
  return (
    // The whole row is the label, for thumbs; the accessible name is the label's first line alone.
    <label className="flex items-start gap-3 max-md:min-h-11">
      <span className="relative inline-flex h-5 w-9 shrink-0">
        <input
          type="checkbox"
          role="switch"
          checked={checked}
          disabled={disabled}
          aria-checked={checked}
          aria-labelledby={`${id}-label`}
          aria-describedby={description ? `${id}-description` : undefined}
          onChange={(event) => onChange(event.target.checked)}
          className="peer absolute inset-0 size-full appearance-none rounded-full border border-edge bg-sunken transition-colors checked:border-accent checked:bg-accent disabled:opacity-60"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute top-[3px] left-[3px] size-3.5 rounded-full bg-edge transition-transform peer-checked:translate-x-4 peer-checked:bg-accent-ink"
        />
      </span>
      <span className="flex flex-col">
        <span id={`${id}-label`} className="font-medium">
          {label}
        </span>
        {description && (
          <span id={`${id}-description`} className="text-[13px] text-muted">
            {description}
          </span>
        )}
      </span>
    </label>
  );
}
