"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { RoleSelect } from "@/components/people/role-select.tsx";
import { SecretOnce } from "@/components/people/secret-once.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
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
        <>
          <SecretOnce label="API key" value={made.secret} />
          <DialogActions>
            <Button onClick={close}>Done</Button>
          </DialogActions>
        </>
      ) : (
        <KeyForm onMade={setMade} onClose={close} />
      )}
    </Dialog>
  );
}

function KeyForm({ onMade, onClose }: { onMade: (key: NewApiKey) => void; onClose: () => void }) {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>("viewer");
  const { form, errors, failure, pending, onSubmit } = useForm({
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
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <TextField name="name" label="Name" autoComplete="off" maxLength={80} error={errors.name} />
      <HolderField errors={errors} />
      <Field id="role" label="Role" required error={errors.role}>
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
      <ActionsField role={role} errors={errors} />
      <ReachField errors={errors} />
      <EndField errors={errors} />
      <NetworksField errors={errors} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" variant="primary" disabled={pending}>
          {pending ? "Making the key…" : "Make the key"}
        </Button>
      </DialogActions>
    </form>
  );
}
