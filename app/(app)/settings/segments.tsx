import { cn } from "@/components/ui/cn.ts";

/** A few buttons of which one is pressed. */
export function Segments<T extends string>({
  label,
  value,
  options,
  disabled = [],
  className,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly T[];
  disabled?: readonly T[];
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
          disabled={disabled.includes(each)}
          onClick={() => onChange(each)}
          className={cn(
            "flex h-7 items-center rounded-md px-2.5 text-[13px] disabled:opacity-50 max-md:h-11 max-md:px-3",
            each === value ? "bg-accent-soft font-medium text-accent" : "bg-sunken text-muted hover:text-ink",
          )}
        >
          {each}
        </button>
      ))}
    </div>
  );
}
