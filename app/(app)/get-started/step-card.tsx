import { Check, CircleSlash } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { StepState } from "@/lib/onboarding/schema.ts";

/** One of the first steps. `onSkip` skips or resumes it. */
export function StepCard({
  number,
  title,
  description,
  state,
  pending,
  onSkip,
  children,
}: {
  number: number;
  title: string;
  description: string;
  state: StepState;
  pending: boolean;
  onSkip: (skipped: boolean) => void;
  children: ReactNode;
}) {
  const heading = useId();
  return (
    <li>
      <section
        aria-labelledby={heading}
        className="flex gap-3.5 rounded-lg border border-line bg-panel p-4 md:p-5"
      >
        <StepMark number={number} state={state} />
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
            <div className="flex min-w-52 flex-1 flex-col gap-1">
              <h2 id={heading} className="font-semibold text-[15px] tracking-tight">
                {title}
                {state !== "open" && (
                  <span
                    className={cn(
                      "ml-2 font-normal text-[13px]",
                      state === "done" ? "text-good" : "text-muted",
                    )}
                  >
                    {state === "done" ? "Done" : "Skipped"}
                  </span>
                )}
              </h2>
              <p className="text-[13px] text-muted">{description}</p>
            </div>
            {state !== "done" && (
              <Button
                variant="ghost"
                size="sm"
                className="-mr-2.5"
                disabled={pending}
                aria-label={state === "open" ? `Skip: ${title}` : `Undo skip: ${title}`}
                onClick={() => onSkip(state === "open")}
              >
                {state === "open" ? "Skip" : "Undo skip"}
              </Button>
            )}
          </div>
          {state !== "skipped" && children}
        </div>
      </section>
    </li>
  );
}

function StepMark({ number, state }: { number: number; state: StepState }) {
  const Icon = state === "done" ? Check : CircleSlash;
  return (
    <span
      aria-hidden
      className={cn(
        "grid size-7 shrink-0 place-items-center rounded-full font-semibold text-[13px]",
        state === "done" && "bg-good-soft text-good",
        state === "open" && "bg-accent-soft text-accent",
        state === "skipped" && "bg-sunken text-muted",
      )}
    >
      {state === "open" ? number : <Icon className="size-4" strokeWidth={2} />}
    </span>
  );
}
