"use client";

import { useQueryClient } from "@tanstack/react-query";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { type ApiKey, updateKeySchema } from "@/lib/people/api-keys/api-key-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";

/** Renames an API key. */
export function RenameDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title="Rename the key">
      <RenameForm apiKey={apiKey} onClose={onClose} />
    </Dialog>
  );
}

function RenameForm({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const client = useQueryClient();
  const form = useForm({
    schema: updateKeySchema,
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      await api.patch(`/api/v1/api-keys/${apiKey.id}`, values);
      await client.invalidateQueries({ queryKey: organizationKeys.apiKeys });
      onClose();
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Save" sending="Saving…">
      <TextField
        name="name"
        label="Name"
        autoComplete="off"
        maxLength={80}
        defaultValue={apiKey.name}
        error={form.errors.name}
      />
    </DialogForm>
  );
}
