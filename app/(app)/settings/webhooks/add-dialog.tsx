"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { SigningSecretDialog } from "@/components/people/signing-secret-dialog.tsx";
import { createWebhookSchema } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { webhookKeys } from "@/lib/web/client/outbound.ts";
import { readWebhookFields, WebhookFields } from "./webhook-fields.tsx";

/** Asks for the URL and the events, then shows the secret once. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <SigningSecretDialog
      title="Add a webhook"
      description="Intray calls it within seconds of what happens."
      done="The webhook is ready"
      secret={secret}
      onClose={onClose}
    >
      <AddForm onMade={setSecret} onClose={onClose} />
    </SigningSecretDialog>
  );
}

function AddForm({ onMade, onClose }: { onMade: (secret: string) => void; onClose: () => void }) {
  const client = useQueryClient();
  const form = useForm({
    schema: createWebhookSchema,
    read: readWebhookFields,
    send: async (values) => {
      onMade((await api.post<{ secret: string }>("/api/v1/webhooks", values)).secret);
      await client.invalidateQueries({ queryKey: webhookKeys.all });
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Add the webhook" sending="Adding…">
      <WebhookFields errors={form.errors} />
    </DialogForm>
  );
}
