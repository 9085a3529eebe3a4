"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { RoleSelect } from "@/components/people/role-select.tsx";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { Field } from "@/components/ui/field.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import type { Role } from "@/lib/access/roles.ts";
import { createKeySchema, type NewApiKey } from "@/lib/people/api-keys/api-key-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";
import { EndField, HolderField, NetworksField, readEnd, readNetworks } from "./key-fields.tsx";
import { ActionsField, ReachField, readScope } from "./scope-fields.tsx";

/** Asks for the key's name, role, end and networks, then shows the secret once. */
export function KeyDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [made, setMade] = useState<NewApiKey | null>(null);
  const close = () => {
    onOpenChange(false);
    setMade(null);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={made ? `${made.name} is ready` : "Make an API key"}
      description={
        made
          ? "Copy the key now: it is shown only once, and nobody can get it again."
          : "Name it after the program that uses it. Give it the weakest role that is enough."
      }
    >
      {made ? (
        <NewSecret label="API key" value={made.secret} onClose={close} />
      ) : (
        <KeyForm onMade={setMade} onClose={close} />
      )}
    </Dialog>
  );
}

function KeyForm({ onMade, onClose }: { onMade: (key: NewApiKey) => void; onClose: () => void }) {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>("viewer");
  const form = useForm({
    schema: createKeySchema,
    read: (data) => ({
      name: data.get("name"),
      role: data.get("role"),
      expires: readEnd(data),
      networks: readNetworks(data),
      ...readScope(data),
      ...(data.get("serviceAccountId") && { serviceAccountId: data.get("serviceAccountId") }),
    }),
    send: async (values) => {
      onMade(await api.post<NewApiKey>("/api/v1/api-keys", values));
      await client.invalidateQueries({ queryKey: organizationKeys.apiKeys });
      await client.invalidateQueries({ queryKey: organizationKeys.serviceAccounts });
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Make the key" sending="Making the key…">
      <TextField name="name" label="Name" autoComplete="off" maxLength={80} error={form.errors.name} />
      <HolderField errors={form.errors} />
      <Field id="role" label="Role" required error={form.errors.role}>
        {(control) => (
          <RoleSelect
            {...control}
            long
            name="role"
            value={role}
            onChange={(event) => setRole(event.target.value as Role)}
          />
        )}
      </Field>
      <ActionsField role={role} errors={form.errors} />
      <ReachField errors={form.errors} />
      <EndField errors={form.errors} />
      <NetworksField errors={form.errors} />
    </DialogForm>
  );
}
