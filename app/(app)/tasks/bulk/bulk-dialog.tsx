"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, FieldErrorLine, Input } from "@/components/ui/field.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { BulkAction, BulkOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { BULK_WORDS, leftOutWords } from "./bulk-words.ts";

/**
 * Freezes the list of tasks, shows its length, and starts once the person has typed that number. Later
 * changes of the list have no effect.
 */
export function BulkDialog({
  action,
  chosen,
  count,
  leftOut = BULK_WORDS[action].leftOut,
  onClose,
}: {
  action: BulkAction;
  chosen: { taskIds: string[] } | { filter: Record<string, string> };
  /** The number of chosen tasks; null if unknown. */
  count: number | null;
  /** Why some of the chosen tasks are left out. */
  leftOut?: string;
  onClose: () => void;
}) {
  const words = BULK_WORDS[action];
  const prepared = useMutation({
    mutationFn: () => api.post<BulkOperation>("/api/v1/bulk-operations", { action, ...chosen }),
  });
  // Prepares once per opening: the list is frozen at that moment.
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    prepared.mutate();
  });
  const items = prepared.data?.items;
  const left = items === undefined ? null : leftOutWords(count, items, leftOut);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={items === undefined ? words.title : `${words.title}: ${plural(items, "task")}`}
      description={words.description}
    >
      {prepared.error ? (
        <FieldErrorLine id="bulk-error" message={errorSentence(prepared.error)} />
      ) : items === undefined ? (
        <p role="status" className="text-muted">
          Counting…
        </p>
      ) : (
        left && <p>{left}</p>
      )}
      {prepared.data ? (
        <ConfirmForm operation={prepared.data} action={action} onClose={onClose} />
      ) : (
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
        </DialogActions>
      )}
    </Dialog>
  );
}

function ConfirmForm({
  operation,
  action,
  onClose,
}: {
  operation: BulkOperation;
  action: BulkAction;
  onClose: () => void;
}) {
  const router = useRouter();
  const [typed, setTyped] = useState("");
  const [wrong, setWrong] = useState(false);
  const { items, id } = operation;
  const begin = useMutation({
    mutationFn: () => api.post<BulkOperation>(`/api/v1/bulk-operations/${id}/begin`, { count: items }),
    onSuccess: () => {
      onClose();
      router.push(`/tasks/bulk/${id}`);
    },
  });
  const error = wrong ? `Type ${items}` : begin.error ? errorSentence(begin.error) : undefined;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const right = typed.trim() === String(items);
        setWrong(!right);
        if (right) begin.mutate();
      }}
    >
      <Field id="bulk-count" label={`Type ${items} to confirm`} required error={error}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            inputMode="numeric"
            autoComplete="off"
            className="max-w-32"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setWrong(false);
            }}
          />
        )}
      </Field>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          type="submit"
          variant={action === "cancel" ? "destructive" : "primary"}
          disabled={begin.isPending}
        >
          {BULK_WORDS[action].confirm} {plural(items, "task")}
        </Button>
      </DialogActions>
    </form>
  );
}
