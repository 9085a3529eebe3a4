import { Check, X } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";
import type { CheckStep } from "@/lib/servers/server-schema.ts";
import { formatLatency } from "@/lib/text/latency.ts";

const STEPS: Record<CheckStep["step"], string> = {
  sign_in: "Signed in",
  identify: "Answers as an MCP server",
  tools: "Lists its tools",
};

/** The steps of a test, in order, up to the failed one. */
export function TestResult({ steps }: { steps: CheckStep[] }) {
  const formats = useFormats();
  return (
    <section aria-label="Test result" className="rounded-lg border border-line bg-panel">
      <ol aria-live="polite" className="flex flex-col divide-y divide-line">
        {steps.map(({ step, ok, ms, message }) => {
          const Icon = ok ? Check : X;
          return (
            <li key={step} className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 px-4 py-2.5">
              <Icon
                aria-hidden
                strokeWidth={2}
                className={cn("size-4 shrink-0", ok ? "text-good" : "text-bad")}
              />
              <span className="font-medium">{STEPS[step]}</span>
              <span className="sr-only">{ok ? "yes" : "no"}</span>
              {message && <span className="text-muted">{message}</span>}
              {ms !== null && (
                <span className="ml-auto text-muted tabular-nums">{formatLatency(ms, formats)}</span>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
