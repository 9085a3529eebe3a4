"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { z } from "zod";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import type { Organization } from "@/lib/people/organizations/organization-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";

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
      description="For good, for everybody, in 72 hours. All owners are notified, and each can cancel it until then. Accounts that are in no other organization are deleted too."
    >
      <DeleteForm slug={saved.slug} onClose={() => onOpenChange(false)} />
    </Dialog>
  );
}

function DeleteForm({ slug, onClose }: { slug: string; onClose: () => void }) {
  const client = useQueryClient();
  const router = useRouter();
  const form = useForm({
    schema: z.object({ slug: z.literal(slug, `Type ${slug}`) }),
    read: (data) => ({ slug: String(data.get("slug")).trim() }),
    send: async (values) => {
      const now = await api.delete<Organization>("/api/v1/organization", values);
      await showSaved(client, organizationKeys.organization, now);
      onClose();
      // Every page says so from now on.
      router.refresh();
    },
  });
  return (
    <DialogForm
      form={form}
      onClose={onClose}
      send="Delete in 72 hours"
      sending="Asking…"
      variant="destructive"
      unchanged="Nothing will be deleted."
    >
      <TextField
        name="slug"
        label={`Type ${slug} to confirm`}
        autoComplete="off"
        spellCheck={false}
        error={form.errors.slug}
      />
    </DialogForm>
  );
}
