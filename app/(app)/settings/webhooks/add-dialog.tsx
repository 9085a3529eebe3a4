"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "@/components/form/use-form.ts";
import { SigningSecretDialog } from "@/components/people/signing-secret-dialog.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";
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
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: createWebhookSchema,
    read: readWebhookFields,
    send: async (values) => {
      onMade((await api.post<{ secret: string }>("/api/v1/webhooks", values)).secret);
      await client.invalidateQueries({ queryKey: webhookKeys.all });
    },
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <WebhookFields errors={errors} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" variant="primary" disabled={pending}>
          {pending ? "Adding…" : "Add the webhook"}
        </Button>
      </DialogActions>
    </form>
  );
}
