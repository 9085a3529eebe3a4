"use client";

import { useState } from "react";
import { errorSentence } from "@/components/api/client.ts";
import { Button } from "@/components/ui/button.tsx";
import { ConfirmDialog } from "@/components/ui/confirm-dialog.tsx";
import { Dialog, DialogActions } from "@/components/ui/dialog.tsx";
import { Field, FieldErrorLine } from "@/components/ui/field.tsx";
import { Input } from "@/components/ui/input.tsx";
import type { ViewDialog, Views } from "./use-views.ts";

const NAME_LENGTH = 60;

/** Saving, renaming and deleting a view of the tasks. */
export function ViewDialogs({
  dialog,
  views,
  onClose,
}: {
  dialog: ViewDialog;
  views: Views;
  onClose: () => void;
}) {
  const { current, remove } = views;
  if (dialog === "delete") {
    return (
      <ConfirmDialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={`Delete “${current?.name}”?`}
        description={`${current?.shared ? "It goes for everyone who uses it. " : ""}No task is changed by that.`}
        confirm="Delete view"
        dismiss="Keep it"
        destructive
        pending={remove.isPending}
        onConfirm={() => current && remove.mutate(current.id, { onSuccess: onClose })}
      >
        {remove.error && <FieldErrorLine id="view-error" message={errorSentence(remove.error)} />}
      </ConfirmDialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={dialog === "save" ? "Save this view" : `Rename “${current?.name}”`}
      {...(dialog === "save" && { description: "Keeps the search, the filters and the order under a name." })}
    >
      <ViewForm saving={dialog === "save"} views={views} onClose={onClose} />
    </Dialog>
  );
}

function ViewForm({ saving, views, onClose }: { saving: boolean; views: Views; onClose: () => void }) {
  const [name, setName] = useState(saving ? "" : (views.current?.name ?? ""));
  const [shared, setShared] = useState(false);
  const [missing, setMissing] = useState(false);
  const call = saving ? views.create : views.update;
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
        const done = { onSuccess: onClose };
        if (saving) views.create.mutate({ name: given, shared }, done);
        else if (views.current) views.update.mutate({ id: views.current.id, name: given }, done);
      }}
    >
      <Field id="view-name" label="Name" required error={error}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            maxLength={NAME_LENGTH}
            value={name}
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
