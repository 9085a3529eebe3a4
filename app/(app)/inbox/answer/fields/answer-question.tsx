"use client";

import type { ReactNode } from "react";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import type { Decision } from "@/lib/input-requests/decision.ts";

export const NoForm = lazyComponent(
  () => import("../../request/first-touch.ts").then((file) => file.NoForm),
  {
    warm: true,
  },
);

/** What the answer area tells the fields, and they it. */
export interface FieldsProps {
  disabled?: boolean;
  /** Beside the heading: what became of the draft. */
  status?: ReactNode;
  /** Enter in a field sends. */
  onSubmit: () => void;
  onLeaveField?: () => void;
}

/** What stands between the facts and the bar where there are no fields: a question for one press, or why there are none. */
export function AnswerQuestion({ decision }: { decision: Decision }) {
  if (decision.kind === "none") return <NoForm reason={decision.reason} />;
  if (decision.kind !== "choices" || (!decision.question && !decision.description)) return null;
  return (
    <div className="flex flex-col gap-0.5 wrap-anywhere">
      {decision.question && <p className="font-medium">{decision.question}</p>}
      {decision.description && <p className="text-muted">{decision.description}</p>}
    </div>
  );
}
