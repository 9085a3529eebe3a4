"use client";

import { useState } from "react";
import { errorSentence } from "@/components/api/client.ts";
import { Button } from "@/components/ui/button.tsx";
import { ConfirmDialog } from "@/components/ui/confirm-dialog.tsx";
import { Dialog, DialogActions } from "@/components/ui/dialog.tsx";
import { Field, FieldErrorLine } from "@/components/ui/field.tsx";
import { Input } from "@/components/ui/input.tsx";
import { useViewActions } from "./use-view-actions.ts";
import type { Views } from "./use-views.ts";

export type ViewDialog = "save" | "rename" | "delete";

const NAME_LENGTH = 60;

/** Saving, renaming and deleting a view. */
export function ViewDialogs({
  dialog,
  views,
  suggested,
  onClose,
}: {
  dialog: ViewDialog;
  views: Views;
  /** A name made of the filters that are on. */
  suggested: string;
  onClose: () => void;
}) {
  const { current } = views;
  const actions = useViewActions(views);
  if (dialog === "delete") {
    return (
      <ConfirmDialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={`Delete “${current?.name}”?`}
        description={
          current?.shared
            ? "It goes for everyone who uses it. No request is changed by that."
            : "No request is changed by that."
        }
        confirm="Delete view"
        dismiss="Keep it"
        destructive
        pending={actions.remove.isPending}
        onConfirm={() => current && actions.remove.mutate(current.id, { onSuccess: onClose })}
      >
        {actions.remove.error && (
          <FieldErrorLine id="view-error" message={errorSentence(actions.remove.error)} />
        )}
      </ConfirmDialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={dialog === "save" ? "Save this view" : `Rename “${current?.name}”`}
      {...(dialog === "save" && {
        description: "Keeps the tab, the search, the filters and the order under a name.",
      })}
    >
      <ViewForm dialog={dialog} views={views} suggested={suggested} onClose={onClose} />
    </Dialog>
  );
}

function ViewForm({
  dialog,
  views,
  suggested,
  onClose,
}: {
  dialog: "save" | "rename";
  views: Views;
  suggested: string;
  onClose: () => void;
}) {
  const saving = dialog === "save";
  const actions = useViewActions(views);
  const [name, setName] = useState(saving ? suggested.slice(0, NAME_LENGTH) : (views.current?.name ?? ""));
  const [shared, setShared] = useState(false);
  const [missing, setMissing] = useState(false);
  const call = saving ? actions.create : actions.update;
  const error = missing ? "Give it a name" : call.error ? errorSentence(call.error) : undefined;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const given = name.trim();
        setMissing(!given);
        if (!given) return;
        if (saving) actions.create.mutate({ name: given, shared }, { onSuccess: onClose });
        else if (views.current)
          actions.update.mutate({ id: views.current.id, name: given }, { onSuccess: onClose });
      }}
    >
      <Field id="view-name" label="Name" required error={error}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            maxLength={NAME_LENGTH}
            value={name}
            onFocus={(event) => event.target.select()}
            onChange={(event) => {
              setName(event.target.value);
              setMissing(false);
            }}
          />
        )}
      </Field>
      {saving && views.mayShare && (
        <label className="flex min-h-6 items-center gap-2.5 max-md:min-h-11">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={shared}
            onChange={(event) => setShared(event.target.checked)}
          />
          Share with everyone in the organization
        </label>
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" variant="primary" disabled={call.isPending}>
          {saving ? "Save view" : "Rename"}
        </Button>
      </DialogActions>
    </form>
  );
}
