"use client";

import { useState } from "react";
import { tellError, useChange } from "@/components/form/change.ts";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { updateWebhookSchema, type Webhook } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { webhookApi, webhookKeys } from "@/lib/web/client/outbound.ts";
import { readWebhookFields, WebhookFields } from "./webhook-fields.tsx";

interface Props {
  webhook: Webhook;
  onClose: () => void;
}

export function EditDialog({ webhook, onClose }: Props) {
  const save = useChange([webhookKeys.all], (change: object) => webhookApi.update(webhook.id, change), {
    done: "Webhook saved",
    onError: tellError,
  });
  const form = useForm({
    schema: updateWebhookSchema,
    read: readWebhookFields,
    send: async (values) => {
      await save.mutateAsync(values);
      onClose();
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title="Change the webhook">
      <DialogForm form={form} onClose={onClose} send="Save" sending="Saving…">
        <WebhookFields webhook={webhook} errors={form.errors} />
      </DialogForm>
    </Dialog>
  );
}

/** Rotates the secret. The old secret stays valid for a day, so that the receiver can switch. */
export function RotateDialog({ webhook, onClose }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useChange([webhookKeys.all], () => webhookApi.rotate(webhook.id), { onError: tellError });
  if (secret)
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title="The new secret"
        description="Copy it now: it is shown only once. For a day the previous secret signs too."
      >
        <NewSecret label="Signing secret" value={secret} onClose={onClose} />
      </Dialog>
    );
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Make a new secret?"
      description="For a day calls carry two signatures, by the new secret and the previous one. Older secrets end at once."
      confirm="Make a new secret"
      pending={rotate.isPending}
      onConfirm={() => rotate.mutate(undefined, { onSuccess: (made) => setSecret(made.secret) })}
    />
  );
}

export function RemoveDialog({ webhook, onClose }: Props) {
  const remove = useChange([webhookKeys.all], () => webhookApi.remove(webhook.id), {
    done: "Webhook removed",
    onError: tellError,
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Remove the webhook to ${new URL(webhook.url).host}?`}
      description="Nothing more is sent to it, and its log goes with it."
      confirm="Remove"
      destructive
      pending={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
    />
  );
}
