"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, Select, Textarea } from "@/components/ui/field.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { CreatedRequest } from "@/lib/lifecycle/human-tasks/human-task-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { people } from "@/lib/web/client/organization.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";
import { type AnswerKind, askFormSchema, readAsk } from "./read-ask.ts";

/** The toast has the one link to the new request. */
const ASKED_MS = 30_000;

/** Puts a question to people, or asks for an approval, without an agent or a program. */
export function AskDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Ask somebody"
      description="It appears in their inbox as any other request. You see the answer on its page."
      className="md:max-w-xl"
    >
      <AskForm onClose={() => onOpenChange(false)} />
    </Dialog>
  );
}

function AskForm({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const name = useId();
  const [kind, setKind] = useState<"approval" | "question">("approval");
  const [answer, setAnswer] = useState<AnswerKind>("text");
  // The same request, however often it is sent.
  const [key] = useState(() => crypto.randomUUID());
  const found = useQuery(people(""));
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: askFormSchema,
    read: (data) => readAsk(data, kind, answer),
    send: async (values) => {
      const made = await api.post<CreatedRequest>("/api/v1/requests", values, { "idempotency-key": key });
      toast(
        <span>
          Asked ·{" "}
          <Link href={`/inbox/${made.id}`} className="underline underline-offset-4">
            Open the request
          </Link>
        </span>,
        { duration: ASKED_MS, closeButton: true },
      );
      onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: requestKeys.lists }),
        client.invalidateQueries({ queryKey: taskKeys.lists }),
      ]);
    },
  });
  const errorAt = (field: string) =>
    Object.entries(errors).find(([at]) => at === field || at.startsWith(`${field}.`))?.[1];
  const isApproval = kind === "approval";
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
        <legend className="mb-2 font-medium text-[13px]">What you need</legend>
        {(["approval", "question"] as const).map((each) => (
          <label key={each} className="flex items-center gap-2 text-[13px] max-md:min-h-11">
            <input
              type="radio"
              name={name}
              checked={kind === each}
              onChange={() => setKind(each)}
              className="size-4 accent-accent"
            />
            {each === "approval" ? "An approval" : "An answer to a question"}
          </label>
        ))}
      </fieldset>
      <Field
        id="message"
        label={isApproval ? "What is to be approved" : "Question"}
        required
        error={errorAt("message")}
      >
        {(control) => (
          <Textarea
            {...control}
            name="message"
            rows={3}
            maxLength={4_000}
            placeholder={
              isApproval ? "Pay invoice INV-100 of ACME Corp" : "Which cost centre is this order for?"
            }
          />
        )}
      </Field>
      {!isApproval && (
        <Field id="answer" label="They answer with" required error={errorAt("form")}>
          {(control) => (
            <Select
              {...control}
              value={answer}
              onChange={({ target }) => setAnswer(target.value as AnswerKind)}
            >
              <option value="text">A text</option>
              <option value="yes_no">Yes or no</option>
              <option value="choice">One of some choices</option>
            </Select>
          )}
        </Field>
      )}
      {!isApproval && answer === "choice" && (
        <Field id="choices" label="Choices" description="One a line." required error={errorAt("choices")}>
          {(control) => <Textarea {...control} name="choices" rows={3} />}
        </Field>
      )}
      {isApproval && (
        <div className="grid grid-cols-[minmax(0,1fr)_10rem] gap-3">
          <TextField
            name="amount"
            label="Amount"
            inputMode="decimal"
            autoComplete="off"
            required={false}
            error={errorAt("amount")}
          />
          <TextField
            name="currency"
            label="Currency"
            maxLength={3}
            placeholder="EUR"
            autoComplete="off"
            required={false}
            error={errorAt("currency")}
          />
        </div>
      )}
      <Field
        id="details"
        label="Details"
        description="What helps to decide, one fact a line: name, colon, value."
        error={errorAt("details")}
      >
        {(control) => (
          <Textarea {...control} name="details" rows={3} placeholder={"Vendor: ACME Corp\nDue: 1 December"} />
        )}
      </Field>
      <Field id="links" label="Links" description="One address a line." error={errorAt("links")}>
        {(control) => <Textarea {...control} name="links" rows={1} placeholder="https://…" />}
      </Field>
      <Field id="to" label="Who" required error={errorAt("to")}>
        {(control) => (
          <Select {...control} name="to">
            <option value="">Anybody who may answer</option>
            {found.data?.items.map((person) => (
              <option key={person.id} value={person.id}>
                {person.name}
                {person.email && ` · ${person.email}`}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          name="label"
          label="Short name"
          maxLength={200}
          placeholder="INV-100"
          autoComplete="off"
          required={false}
          error={errorAt("label")}
        />
        <TextField
          name="expiresAt"
          label="Until"
          type="datetime-local"
          required={false}
          error={errorAt("expiresAt")}
        />
      </div>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" variant="primary" disabled={pending}>
          {pending ? "Asking…" : "Ask"}
        </Button>
      </DialogActions>
    </form>
  );
}
