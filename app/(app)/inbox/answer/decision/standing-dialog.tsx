"use client";

import { useId, useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { useNow } from "@/components/time/use-now.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, Input } from "@/components/ui/field.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { actorWords } from "@/lib/access/actor-words.ts";
import type { AnswerInput } from "@/lib/requests/request-input-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { differenceWords, differsAs } from "@/lib/requests/standing-approvals/bounds.ts";
import { timeIn, timesFrom } from "@/lib/requests/standing-approvals/standing-words.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { namedInQuotes } from "@/lib/text/foreign/quoted.ts";
import { shorten } from "@/lib/text/labels.ts";
import { ApproveButton } from "./guarded-button.tsx";

const VALUE_CHARACTERS = 80;

/** Approves this call, and more like it for a while: how long, how often, and what may differ is written out. */
export function StandingDialog({
  request,
  comment,
  pending,
  onDismiss,
  onSend,
}: {
  request: InputRequestDetail;
  comment: string;
  pending: boolean;
  onDismiss: () => void;
  onSend: (answer: Pick<AnswerInput, "action" | "content" | "standing">, comment: string) => void;
}) {
  const id = useId();
  const formats = useFormats();
  const [wanted, setWanted] = useState("15 minutes");
  // Counted from now on: the dialog may have been open for hours.
  const now = useNow(10_000);
  const [uses, setUses] = useState("");
  const [except, setExcept] = useState<string[]>([]);
  const [most, setMost] = useState("");
  const isCount = uses === "" || (/^\d+$/.test(uses) && Number(uses) >= 1 && Number(uses) <= 1_000);
  const isAmount = most === "" || Number(most) > 0;
  const names = Object.keys(request.arguments);
  const isBounded = most === "" || except.every((name) => differsAs(name, request.arguments[name]) !== null);
  const approve = () => {
    const standing = {
      ...{ forMs: timeIn(timesFrom(Date.now()), wanted).ms, except },
      ...(uses !== "" && { uses: Number(uses) }),
      ...(most !== "" && { mostAmount: Number(most) }),
    };
    onSend({ action: "accept", content: {}, standing }, comment);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDismiss()}
      title={`Approve ${requestName(request)} for a while`}
      description={`${actorWords(request.requestedBy, { begins: true })} may call ${namedInQuotes(request.tool)} again without asking, if the call is like this one. You can revoke it under Settings.`}
      className="md:max-w-xl"
    >
      <div className="flex flex-col gap-5">
        <fieldset className="flex flex-wrap gap-2">
          <legend className="mb-1.5 font-medium text-[13px]">For how long</legend>
          {timesFrom(now).map(({ words, at }, _, times) => (
            <label
              key={words}
              className="flex min-h-8 items-center rounded-full border border-line px-3 text-[13px] hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 max-md:min-h-11 max-md:px-4"
            >
              <input
                type="radio"
                name={`${id}-time`}
                className="sr-only"
                checked={timeIn(times, wanted).words === words}
                onChange={() => setWanted(words)}
              />
              {words}
              <span className="pl-1.5 font-normal text-muted">until {formats.dayAndTime(at)}</span>
            </label>
          ))}
        </fieldset>
        <Field
          id={`${id}-uses`}
          label="Calls"
          hint="Not counting this call. If empty: any number until the time ends."
          error={isCount ? undefined : "A whole number from 1 to 1,000."}
        >
          {(control) => (
            <Input
              {...control}
              className="w-40"
              inputMode="numeric"
              value={uses}
              onChange={(event) => setUses(event.target.value.trim())}
            />
          )}
        </Field>
        <fieldset className="flex flex-col">
          <legend className="mb-1.5 font-medium text-[13px]">What may differ</legend>
          {names.length === 0 && <p className="text-[13px] text-muted">The call has no arguments.</p>}
          {names.map((name) => (
            <label key={name} className="flex min-h-8 items-center gap-2.5 text-[13px] max-md:min-h-11">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-(--accent)"
                checked={except.includes(name)}
                onChange={(event) =>
                  setExcept(event.target.checked ? [...except, name] : except.filter((each) => each !== name))
                }
              />
              <span className="wrap-anywhere min-w-0 py-1">
                <PlainText text={name} />{" "}
                <span className="text-muted">
                  {except.includes(name) ? (
                    differenceWords(name, request.arguments, most, formats)
                  ) : (
                    <>
                      always{" "}
                      <PlainText text={shorten(JSON.stringify(request.arguments[name]), VALUE_CHARACTERS)} />
                    </>
                  )}
                </span>
              </span>
            </label>
          ))}
          <p className="pt-1 text-muted text-xs">All other arguments have to be the same as here.</p>
        </fieldset>
        {except.length > 0 && (
          <Field
            id={`${id}-most`}
            label="Largest amount"
            hint="In whole units such as euros, never in cents. Intray asks about a call with a larger amount, another unit, or no amount."
            error={isAmount ? undefined : "A number above 0."}
          >
            {(control) => (
              <Input
                {...control}
                className="w-40"
                inputMode="decimal"
                value={most}
                onChange={(event) => setMost(event.target.value.trim())}
              />
            )}
          </Field>
        )}
        <DialogActions>
          <Button onClick={onDismiss}>Close</Button>
          <ApproveButton
            request={request}
            pending={pending}
            disabled={!isCount || !isAmount || !isBounded}
            onPress={approve}
          >
            Approve for a while
          </ApproveButton>
        </DialogActions>
      </div>
    </Dialog>
  );
}
