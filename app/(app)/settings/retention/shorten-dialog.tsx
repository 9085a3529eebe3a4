"use client";

import type { ReactNode } from "react";
import { z } from "zod";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";

interface Props {
  slug: string;
  onOpenChange: (open: boolean) => void;
  onConfirm: (typed: string) => Promise<void>;
  /** The preview of the deletion. */
  children: ReactNode;
}

/** Confirms a shorter retention. Typing the slug prevents a deletion by accident. */
export function ShortenDialog({ open, ...props }: Props & { open: boolean }) {
  return (
    <Dialog
      open={open}
      onOpenChange={props.onOpenChange}
      title="Keep it for less time?"
      description="What is older is deleted for good. Keeping it longer later does not bring it back."
    >
      <ShortenForm {...props} />
    </Dialog>
  );
}

function ShortenForm({ slug, onOpenChange, onConfirm, children }: Props) {
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: z.object({ slug: z.literal(slug, `Type ${slug}`) }),
    read: (data) => ({ slug: String(data.get("slug")).trim() }),
    send: (values) => onConfirm(values.slug),
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {children}
      {failure && (
        <Notice live tone="bad" title={failure}>
          <p>Nothing was changed.</p>
        </Notice>
      )}
      <TextField
        name="slug"
        label={`Type ${slug} to confirm`}
        autoComplete="off"
        spellCheck={false}
        error={errors.slug}
      />
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>Close</Button>
        <Button type="submit" variant="destructive" disabled={pending}>
          {pending ? "Saving…" : "Delete what is older"}
        </Button>
      </DialogActions>
    </form>
  );
}
