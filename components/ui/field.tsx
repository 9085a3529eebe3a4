import { ChevronDown, CircleAlert } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { TurnedNote } from "@/components/text/plain-text.tsx";
import { cn } from "@/components/ui/cn.ts";

/** Attributes a control inside `Field` must carry, so that label, description and error are announced. */
export interface FieldControl {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  "aria-required": true | undefined;
}

/** A labelled control with its description and error, linked for screen readers. */
export function Field({
  id,
  label,
  description,
  hint,
  error,
  required = false,
  need = "optional",
  children,
}: {
  id: string;
  label: string;
  description?: ReactNode;
  /** Secondary text below the control. */
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** When it is needed, if it is not required. Null: nothing is said of it. */
  need?: string | null | undefined;
  children: (control: FieldControl) => ReactNode;
}) {
  const describedBy = [description && `${id}-description`, hint && `${id}-hint`, error && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className="wrap-anywhere text-[13px] font-medium">
        <bdi>{label}</bdi>
        <TurnedNote text={label} />
        {!required && need !== null && <span className="font-normal text-muted"> · {need}</span>}
      </label>
      {description && (
        <p
          id={`${id}-description`}
          dir="auto"
          className="wrap-anywhere whitespace-pre-line text-[13px] text-muted"
        >
          {description}
          {typeof description === "string" && <TurnedNote text={description} />}
        </p>
      )}
      {children({
        id,
        "aria-describedby": describedBy || undefined,
        "aria-invalid": error ? true : undefined,
        "aria-required": required || undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && <FieldErrorLine id={`${id}-error`} message={error} />}
    </div>
  );
}

export function FieldErrorLine({ id, message }: { id: string; message: string }) {
  return (
    <p id={id} className="flex items-center gap-1.5 text-[13px] text-bad">
      <CircleAlert aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
      {message}
    </p>
  );
}

export const fieldStyle =
  "w-full rounded-lg border base:border-edge bg-panel px-3 placeholder:text-faint focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-ring disabled:opacity-60 aria-invalid:border-bad max-md:text-base";

export function Input({ className, ...props }: ComponentProps<"input">) {
  return <input className={cn(fieldStyle, "h-9 max-md:h-11", className)} {...props} />;
}

export function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return <textarea className={cn(fieldStyle, "base:min-h-16 py-2", className)} {...props} />;
}

/** The browser's native select, which works on every phone and with every screen reader. */
export function Select({ className, children, ...props }: ComponentProps<"select">) {
  return (
    <span className={cn("relative inline-flex base:w-full", className)}>
      <select className={cn(fieldStyle, "h-9 appearance-none pr-8 max-md:h-11")} {...props}>
        {children}
      </select>
      <ChevronDown
        aria-hidden
        strokeWidth={1.75}
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      />
    </span>
  );
}
