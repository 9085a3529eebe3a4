"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "@/components/form/use-form.ts";
import { SecretOnce } from "@/components/people/secret-once.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { api } from "@/lib/api-client/base/client.ts";
import { webhookKeys } from "@/lib/api-client/webhooks.ts";
import { createWebhookSchema } from "@/lib/webhooks/schema.ts";
import { readWebhookFields, WebhookFields } from "./webhook-fields.tsx";

/** Asks for the URL and the events, then shows the secret once. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={secret ? "The webhook is ready" : "Add a webhook"}
      description={
        secret
          ? "Copy the secret now: it is shown this once. With it the receiver checks that a call is Intray’s."
          : "Intray calls it within seconds of what happens."
      }
    >
      {secret ? (
        <>
          <SecretOnce label="Signing secret" value={secret} />
          <DialogActions>
            <Button onClick={onClose}>Done</Button>
          </DialogActions>
        </>
      ) : (
        <AddForm onMade={setSecret} onClose={onClose} />
      )}
    </Dialog>
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
