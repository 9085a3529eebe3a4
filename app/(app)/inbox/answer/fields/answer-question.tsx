"use client";

import type { ReactNode } from "react";
import { TurnedNote } from "@/components/text/plain-text.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import type { Form } from "@/lib/mcp/forms/form.ts";
import type { Decision } from "@/lib/requests/answers/form-buttons.ts";

export const NoForm = lazyComponent(
  () => import("../../request/request-chunk.ts").then((file) => file.NoForm),
  {
    warm: true,
  },
);

/** Props that the answer area passes to the fields. */
export interface FieldsProps {
  disabled?: boolean;
  /** The state of the draft, shown beside the heading. */
  status?: ReactNode;
  /** Called on Enter in a field: sends, or leads to the button that does. */
  onSubmit: () => void;
  onLeaveField?: () => void;
}

/** What the server says of its form as a whole. */
export function FormWords({ form }: { form: Form }) {
  if (form.kind !== "supported" || !form.about) return null;
  return (
    <p dir="auto" className="wrap-anywhere whitespace-pre-line text-muted">
      {form.about}
      <TurnedNote text={form.about} />
    </p>
  );
}

/**
 * The area between facts and bar for a request without fields: a question answered by one press, or why the
 * form is missing.
 */
export function AnswerQuestion({
  decision,
  canDecline = false,
}: {
  decision: Decision;
  canDecline?: boolean;
}) {
  if (decision.kind === "none") return <NoForm reason={decision.reason} canDecline={canDecline} />;
  if (decision.kind !== "choices" || (!decision.question && !decision.description)) return null;
  return (
    <div className="flex flex-col gap-0.5 wrap-anywhere whitespace-pre-line">
      {decision.question && (
        <p dir="auto" className="font-medium">
          {decision.question}
          <TurnedNote text={decision.question} />
        </p>
      )}
      {decision.description && (
        <p dir="auto" className="text-muted">
          {decision.description}
          <TurnedNote text={decision.description} />
        </p>
      )}
    </div>
  );
}
