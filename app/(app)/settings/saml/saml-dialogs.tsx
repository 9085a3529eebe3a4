"use client";

import { useState } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Field, Select } from "@/components/ui/field.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import {
  createSamlProviderSchema,
  type SamlProvider,
  updateSamlProviderSchema,
} from "@/lib/people/saml/saml-schema.ts";
import { samlApi, samlKeys } from "@/lib/web/client/identity.ts";
import { DescriptionFields, RuleFields, readDescription, readRules, type Way } from "./saml-fields.tsx";

const NAMES: Record<Way, string[]> = {
  metadata: ["metadata"],
  metadataUrl: ["metadataUrl"],
  hand: ["entityId", "ssoUrl", "certificates"],
};

export function AddDialog({ onClose }: { onClose: () => void }) {
  const add = useChange([samlKeys.all], samlApi.create, { done: "Provider added", onError: tellError });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add a SAML provider"
      description="Intray’s entity id and ACS URL for the provider are shown once it is added."
    >
      <ProviderForm
        schema={createSamlProviderSchema}
        confirm="Add the provider"
        onClose={onClose}
        send={(values) => add.mutateAsync(values)}
      />
    </Dialog>
  );
}

interface Props {
  provider: SamlProvider;
  onClose: () => void;
}

export function EditDialog({ provider, onClose }: Props) {
  const save = useChange([samlKeys.all], (body: object) => samlApi.update(provider.id, body), {
    done: "Saved",
    onError: tellError,
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Edit ${provider.name}`}
      description="Leave the description empty to keep the address and the certificates as they are."
    >
      <ProviderForm
        provider={provider}
        schema={updateSamlProviderSchema}
        confirm="Save"
        onClose={onClose}
        send={(values) => save.mutateAsync(values)}
      />
    </Dialog>
  );
}

function ProviderForm({
  provider,
  schema,
  confirm,
  send,
  onClose,
}: {
  provider?: SamlProvider;
  schema: typeof createSamlProviderSchema | typeof updateSamlProviderSchema;
  confirm: string;
  send: (values: object) => Promise<unknown>;
  onClose: () => void;
}) {
  const [way, setWay] = useState<Way>(provider ? "hand" : "metadata");
  const form = useForm({
    schema,
    read: (data) => ({ name: data.get("name"), ...readDescription(data, NAMES[way]), ...readRules(data) }),
    send: async (values) => {
      await send(values);
      onClose();
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send={confirm} sending="Saving…">
      <TextField
        name="name"
        label="Name"
        description="On the button: “Sign in with …”."
        defaultValue={provider?.name ?? ""}
        autoComplete="off"
        error={form.errors.name}
      />
      <Field id="way" label="Set up from" required>
        {(control) => (
          <Select {...control} value={way} onChange={(event) => setWay(event.target.value as Way)}>
            <option value="metadata">Pasted metadata</option>
            <option value="metadataUrl">Metadata at an address</option>
            <option value="hand">Values typed below</option>
          </Select>
        )}
      </Field>
      <DescriptionFields way={way} errors={form.errors} isNew={!provider} />
      <RuleFields {...(provider && { provider })} errors={form.errors} />
    </DialogForm>
  );
}

export function RemoveDialog({ provider, onClose }: Props) {
  const remove = useChange([samlKeys.all], () => samlApi.remove(provider.id), {
    done: "Provider removed",
    onError: tellError,
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Remove ${provider.name}?`}
      description="Everybody who signed in through it is signed out at once. Accounts are no longer linked to it."
      confirm="Remove"
      destructive
      pending={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
    />
  );
}
