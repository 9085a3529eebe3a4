"use client";

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { timing } from "@/components/timings.ts";
import { Button } from "@/components/ui/button.tsx";
import { Input } from "@/components/ui/field.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { Choice } from "@/lib/requests/answers/form-buttons.ts";
import { destructionOf } from "@/lib/requests/destruction.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { guardOf } from "./decision-offer.ts";
import { MainButton, type MainButtonProps } from "./main-button.tsx";

/** The button of a question that warns or has changed. */
export function GuardedButton({
  question,
  choice,
  unseen,
  reads,
  ...props
}: MainButtonProps & {
  question: InputRequestDetail;
  /** Null: the whole form. */
  choice: Choice | null;
  /** Something has to be seen before. */
  unseen: boolean;
  /** A press opens what is folded away, and decides nothing. */
  reads: boolean;
}) {
  const guard = guardOf(question, choice);
  if (guard === "none") return <MainButton {...props} />;
  const guarded = { ...props, disabled: props.disabled || unseen };
  if (guard === "look") return <MainButton {...guarded} />;
  if (reads) return <MainButton {...guarded} variant="destructive" />;
  return <HoldButton {...guarded} question={question} />;
}

/** The button of a dialog that approves: guarded as the form's own is. */
export function ApproveButton({
  request,
  ...props
}: Pick<MainButtonProps, "pending" | "disabled" | "onPress" | "children"> & { request: InputRequestDetail }) {
  return (
    <GuardedButton
      question={request}
      choice={null}
      unseen={false}
      reads={false}
      buttonRef={null}
      shortcut={null}
      primary
      busy={props.pending}
      describedBy={undefined}
      {...props}
    />
  );
}

/**
 * Decides only after it was held for a second, with the pointer, Enter or Space. A short press, and a press by
 * a voice or a switch, which cannot hold, asks for a typed word instead.
 */
function HoldButton({ question, ...props }: MainButtonProps & { question: InputRequestDetail }) {
  const [holding, setHolding] = useState(false);
  const [typing, setTyping] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The pointer was held long enough, and its release is no press. */
  const held = useRef(false);
  const { busy, disabled, onPress, children } = props;
  // The request may have changed, or begun to take presses, during the hold.
  const latest = useRef(onPress);
  useEffect(() => {
    latest.current = onPress;
  });
  // Ends the hold, and closes the dialog, if the button is disabled or unmounted.
  useEffect(() => {
    if (disabled) {
      setHolding(false);
      setTyping(false);
    }
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [disabled]);
  const begin = (byPointer: boolean) => {
    held.current = false;
    if (busy || disabled) return;
    setHolding(true);
    timer.current = setTimeout(() => {
      held.current = byPointer;
      end();
      latest.current();
    }, timing("hold"));
  };
  /** Returns whether a hold was ended before its time. */
  function end(): boolean {
    const early = timer.current !== undefined;
    clearTimeout(timer.current);
    timer.current = undefined;
    setHolding(false);
    return early;
  }
  // Both keys would press the button by themselves, Enter again and again.
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (event.type === "keydown" && !event.repeat) begin(false);
    if (event.type === "keyup" && end()) setTyping(true);
  };
  return (
    <>
      <MainButton
        {...props}
        variant="destructive"
        data-hold
        onPress={() => {
          if (!held.current) setTyping(true);
          held.current = false;
        }}
        onPointerDown={(event) => event.button === 0 && begin(true)}
        onPointerUp={end}
        onPointerLeave={end}
        onPointerCancel={end}
        onKeyDown={onKey}
        onKeyUp={onKey}
        onBlur={end}
        onContextMenu={(event) => event.preventDefault()}
        style={{
          // A finger that rests on the button neither scrolls nor selects.
          touchAction: "none",
          WebkitTouchCallout: "none",
          backgroundImage: "linear-gradient(color-mix(in oklab, currentColor 28%, transparent) 0 0)",
          backgroundRepeat: "no-repeat",
          backgroundSize: holding ? "100% 100%" : "0% 100%",
          transition: `background-size ${holding ? timing("hold") : 100}ms linear`,
        }}
      >
        {/* Both lines keep their room, so that the button does not shrink away from under the pointer. */}
        <span className="grid text-center *:[grid-area:1/1]">
          <span className={holding ? "invisible" : ""}>{children}</span>
          <span className={holding ? "" : "invisible"}>Keep holding…</span>
        </span>
      </MainButton>
      <span role="status" className="sr-only">
        {holding && "Keep holding"}
      </span>
      {typing && !disabled && (
        <TypedConfirmation
          question={question}
          label={String(children)}
          onDismiss={() => setTyping(false)}
          onConfirm={() => {
            setTyping(false);
            onPress();
          }}
        />
      )}
    </>
  );
}

/** Confirms by typing what is done, e.g. `delete`: possible for everybody who can write. */
function TypedConfirmation({
  question,
  label,
  onDismiss,
  onConfirm,
}: {
  question: InputRequestDetail;
  label: string;
  onDismiss: () => void;
  onConfirm: () => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const word = destructionOf({ ...question, form: question.fields }) ?? "confirm";
  const matches = typed.trim().toLowerCase() === word;
  return (
    <Dialog
      open
      onOpenChange={onDismiss}
      title={`${label}: ${requestName(question)}`}
      description="Irreversible. Hold the button for a second, or type the word here."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (matches) onConfirm();
        }}
      >
        <div className="flex flex-col gap-1.5">
          <label htmlFor={id} className="text-[13px] text-muted">
            Type “<span className="font-medium text-ink">{word}</span>” to confirm
          </label>
          <Input
            id={id}
            autoFocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <DialogActions>
          <Button onClick={onDismiss}>Close</Button>
          <Button type="submit" variant="destructive" disabled={!matches}>
            {label}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
