"use client";

import { Check } from "lucide-react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { cn } from "@/components/ui/cn.ts";
import { Notice } from "@/components/ui/notice.tsx";
import type { InputRequestDetail, RequestWarning } from "@/lib/requests/request-schema.ts";
import { figureWords, judgeFigures } from "@/lib/text/facts/figure-warnings.ts";
import { capitalise } from "@/lib/text/labels.ts";
import { AskedBefore } from "../request/question-change.tsx";
import type { Seen } from "./decision/decision-offer.ts";

/** Notices above a request, each with a tick where accepting waits for it. */
export function SeeFirst({
  question,
  asked,
  seen,
  onSeen,
}: {
  question: InputRequestDetail;
  asked: Seen;
  seen: Seen;
  /** Null: this person cannot decide. */
  onSeen: ((seen: Seen) => void) | null;
}) {
  const tick = (what: keyof Seen, words: string, isFirst: boolean) =>
    onSeen && (
      <Tick
        id={isFirst ? "see-first" : undefined}
        checked={seen[what]}
        onToggle={() => onSeen({ ...seen, [what]: !seen[what] })}
      >
        {words}
      </Tick>
    );
  const waitsForChange = asked.change && !seen.change;
  return (
    <>
      <AskedBefore request={question}>
        {asked.change && tick("change", "I’ve seen what changed", waitsForChange)}
      </AskedBefore>
      {asked.figures && (
        <FiguresNotice question={question}>
          {tick(
            "figures",
            `I’ve seen that ${figuresSaid(question.warnings)}`,
            !waitsForChange && !seen.figures,
          )}
        </FiguresNotice>
      )}
    </>
  );
}

const FIGURE_WORDS: Partial<Record<RequestWarning, string>> = {
  sum_differs: "the amounts differ",
  currency_differs: "the currency differs",
  overdue: "the due date was long ago",
};

/** `the amounts differ, and the currency differs` */
function figuresSaid(warnings: RequestWarning[]): string {
  return warnings.flatMap((warning) => FIGURE_WORDS[warning] ?? []).join(", and ");
}

function FiguresNotice({ question, children }: { question: InputRequestDetail; children: React.ReactNode }) {
  const now = useNow(60_000);
  const formats = useFormats();
  const figures = judgeFigures(question.arguments, question.message, formats);
  const words = figureWords(figures, formats, now);
  return (
    <Notice tone="bad" title={capitalise(figuresSaid(question.warnings))}>
      {words.map((each) => (
        <p key={each} className="tabular-nums">
          <PlainText text={each} />
        </p>
      ))}
      {children && (
        <>
          {children}
          <p className="text-muted">Or write a comment below.</p>
        </>
      )}
    </Notice>
  );
}

/** A button with the role of a checkbox: a real one would switch the single keys off while focused. */
function Tick({
  id,
  checked,
  onToggle,
  children,
}: {
  id: string | undefined;
  checked: boolean;
  onToggle: () => void;
  children: string;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <button
      type="button"
      id={id}
      role="checkbox"
      aria-checked={checked}
      onClick={onToggle}
      className="flex min-h-9 w-fit items-center gap-2.5 rounded-md text-left font-medium max-md:min-h-11"
    >
      <span
        className={cn(
          "grid size-4 shrink-0 place-items-center rounded border",
          checked ? "border-accent bg-accent text-accent-ink" : "border-edge bg-panel",
        )}
      >
        {checked && <Check aria-hidden className="size-3" strokeWidth={3} />}
      </span>
      {children}
    </button>
  );
}
