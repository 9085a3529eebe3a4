"use client";

import { type ReactNode, useEffect, useId } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Textarea } from "@/components/ui/field.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";

/** The readers of a remark: those who look at the decision later, or colleagues now. */
export type Readers = "decision" | "discussion";

/** The field for a comment. `focus`: a person has asked for it, so that it takes the focus. */
export interface OpenRemark {
  for: Readers;
  focus: boolean;
}

/** The comment that goes with a decision, as the answer area has it. */
export interface DecisionComment {
  /** Whether it is needed, and where it is kept. */
  about: string;
  value: string;
  disabled: boolean;
  onChange: (text: string) => void;
  onBlur: () => void;
  /** The state of the draft. */
  status: ReactNode;
}

export interface RemarkField {
  /** Null: folded. */
  open: OpenRemark | null;
  onOpen: (remark: OpenRemark) => void;
  /** Null: this person does not decide. */
  comment: DecisionComment | null;
}

/** One folded field for a comment, with a choice of who reads it. */
export function Remarks({
  open,
  onOpen,
  comment,
  composer,
}: RemarkField & {
  /** Null: this person can't discuss. */
  composer: ReactNode;
}) {
  const id = useId();
  const readers = open?.for === "decision" ? (comment ? "decision" : "discussion") : open?.for;
  useEffect(() => {
    if (open?.focus) document.getElementById(open.for === "decision" ? id : "comment-text")?.focus();
  }, [open, id]);
  if (!comment && !composer) return null;
  if (!readers)
    return (
      <Button
        size="sm"
        variant="ghost"
        className="-ml-2.5 w-fit text-muted"
        aria-keyshortcuts={composer ? "M" : undefined}
        onClick={() => onOpen({ for: comment ? "decision" : "discussion", focus: true })}
      >
        Add a comment… {composer && <Kbd>M</Kbd>}
      </Button>
    );
  return (
    <div className="flex flex-col gap-2.5">
      {comment && composer && (
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">Who reads it</legend>
          {(["decision", "discussion"] as const).map((each) => (
            <Button
              key={each}
              size="sm"
              variant={readers === each ? "outline" : "ghost"}
              aria-pressed={readers === each}
              onClick={() => onOpen({ for: each, focus: true })}
            >
              {each === "discussion"
                ? "To colleagues now"
                : comment.value.trim() === "" || readers === "decision"
                  ? "With your decision"
                  : "With your decision · not sent yet"}
            </Button>
          ))}
        </fieldset>
      )}
      {readers === "decision" && comment ? <CommentBox id={id} {...comment} /> : composer}
    </div>
  );
}

function CommentBox({
  id,
  about,
  value,
  disabled,
  onChange,
  onBlur,
  status,
}: DecisionComment & { id: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <label htmlFor={id} className="text-[13px] text-muted">
          <span className="font-medium">Your comment</span> · {about}
        </label>
        {status}
      </div>
      <Textarea
        id={id}
        rows={2}
        maxLength={4000}
        disabled={disabled}
        value={value}
        onBlur={onBlur}
        onChange={(event) => onChange(event.target.value)}
        className="border-line"
      />
    </div>
  );
}
