"use client";

import { z } from "zod";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { leadAll } from "@/components/shell/session/other-tabs.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { api } from "@/lib/api-client/base/client.ts";
import type { Organization } from "@/lib/organizations/schema.ts";

/** Deletes the organization. Typing the slug prevents a deletion by accident. */
export function DeleteDialog({
  saved,
  open,
  onOpenChange,
}: {
  saved: Organization;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Delete ${saved.name}?`}
      description="For good, for everybody, at once. Accounts that are in no other organization go too."
    >
      <DeleteForm slug={saved.slug} onClose={() => onOpenChange(false)} />
    </Dialog>
  );
}

function DeleteForm({ slug, onClose }: { slug: string; onClose: () => void }) {
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: z.object({ slug: z.literal(slug, `Type ${slug}`) }),
    read: (data) => ({ slug: String(data.get("slug")).trim() }),
    send: async (values) => {
      const left = await api.delete<{ organizations: number }>("/api/v1/organization", values);
      leadAll(left.organizations > 0 ? "/" : "/sign-in?error=organization_deleted");
    },
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && (
        <Notice live tone="bad" title={failure}>
          <p>Nothing was deleted.</p>
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
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" variant="destructive" disabled={pending}>
          {pending ? "Deleting…" : "Delete for good"}
        </Button>
      </DialogActions>
    </form>
  );
}
