"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, FieldErrorLine, Input } from "@/components/ui/field.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { useViewActions } from "./saved-view-actions.ts";
import type { SavedViews, ViewDialog } from "./saved-views.ts";

const NAME_LENGTH = 60;

/** The words for the contents of a view and for the listed noun. */
const WORDS = {
  inbox: { keeps: "the tab, the search, the filters and the order", of: "request" },
  tasks: { keeps: "the search, the filters and the order", of: "task" },
};

interface Props {
  views: SavedViews;
  /** The suggested name of a new view, made of the active filters. */
  suggested?: string;
  onClose: () => void;
}

/** The dialogs that save, rename and delete a view. */
export function ViewDialogs({ dialog, views, suggested = "", onClose }: Props & { dialog: ViewDialog }) {
  const { current } = views;
  const { keeps, of } = WORDS[views.page];
  const actions = useViewActions(views);
  if (dialog === "delete") {
    return (
      <ConfirmDialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={`Delete “${current?.name}”?`}
        description={`${current?.shared ? "It is deleted for everyone who uses it. " : ""}No ${of} is changed.`}
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
        description: `Keeps ${keeps} under a name.`,
      })}
    >
      <ViewForm
        saving={dialog === "save"}
        views={views}
        actions={actions}
        suggested={suggested}
        onClose={onClose}
      />
    </Dialog>
  );
}

function ViewForm({
  saving,
  views: { current },
  actions: { create, update, mayShare },
  suggested,
  onClose,
}: Required<Props> & { saving: boolean; actions: ReturnType<typeof useViewActions> }) {
  const [name, setName] = useState(saving ? suggested.slice(0, NAME_LENGTH) : (current?.name ?? ""));
  const [shared, setShared] = useState(false);
  const [missing, setMissing] = useState(false);
  const call = saving ? create : update;
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
        if (saving) create.mutate({ name: given, shared }, { onSuccess: onClose });
        else if (current) update.mutate({ id: current.id, name: given }, { onSuccess: onClose });
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
      {saving && mayShare && (
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
