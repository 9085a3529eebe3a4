"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import {
  type ApiKey,
  DEFAULT_OVERLAP_MS,
  type NewApiKey,
  rotateKeySchema,
  updateKeySchema,
} from "@/lib/people/api-keys/api-key-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";
import { EndField, NetworksField, readEnd, readNetworks } from "./key-fields.tsx";

interface Props {
  apiKey: ApiKey;
  onClose: () => void;
}

/** Asks how long the current secret still works, then shows the new one once. */
export function RotateDialog({ apiKey, onClose }: Props) {
  const [made, setMade] = useState<NewApiKey | null>(null);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={made ? `${apiKey.name} has a new secret` : `Rotate ${apiKey.name}`}
      description={
        made
          ? "Copy it now: it is shown only once, and nobody can get it again."
          : "The key gets a new secret at once. Its name, role and history stay."
      }
    >
      {made ? (
        <NewSecret label="API key" value={made.secret} onClose={onClose} />
      ) : (
        <RotateForm apiKey={apiKey} onMade={setMade} onClose={onClose} />
      )}
    </Dialog>
  );
}

const HOUR_MS = 3600_000;
const OVERLAPS: [number, string][] = [
  [0, "No longer: ends now"],
  [HOUR_MS, "For an hour"],
  [24 * HOUR_MS, "For 24 hours"],
  [3 * 24 * HOUR_MS, "For 3 days"],
  [7 * 24 * HOUR_MS, "For 7 days"],
];

function RotateForm({ apiKey, onMade, onClose }: Props & { onMade: (made: NewApiKey) => void }) {
  const client = useQueryClient();
  // Of this dialog: sent again after a lost answer, it brings the same secret.
  const idempotencyKey = useRef(crypto.randomUUID());
  const form = useForm({
    schema: rotateKeySchema,
    sentences: {
      idempotency_mismatch:
        "The key was already rotated with the time that you chose first. Choose the same time again to see its secret.",
    },
    read: (data) => ({ overlapMs: Number(data.get("overlapMs")), expires: readEnd(data) }),
    send: async (values) => {
      const headers = { "idempotency-key": idempotencyKey.current };
      onMade(await api.post<NewApiKey>(`/api/v1/api-keys/${apiKey.id}/rotate`, values, headers));
      await client.invalidateQueries({ queryKey: organizationKeys.apiKeys });
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Make a new secret" sending="Making the secret…">
      {apiKey.previousUntil && (
        <Notice tone="wait" title="An earlier secret still works. It ends when you continue." />
      )}
      <Field id="overlap" label="The current secret works" required error={form.errors.overlapMs}>
        {(control) => (
          <Select {...control} name="overlapMs" defaultValue={DEFAULT_OVERLAP_MS}>
            {OVERLAPS.map(([ms, label]) => (
              <option key={ms} value={ms}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <EndField errors={form.errors} />
    </DialogForm>
  );
}

/** Changes the networks that a key may come from. */
export function NetworksDialog({ apiKey, onClose }: Props) {
  const client = useQueryClient();
  const form = useForm({
    schema: updateKeySchema,
    read: (data) => ({ networks: readNetworks(data) }),
    send: async (values) => {
      await api.patch(`/api/v1/api-keys/${apiKey.id}`, values);
      await client.invalidateQueries({ queryKey: organizationKeys.apiKeys });
      toast(`Saved the allowed networks of ${apiKey.name}`);
      onClose();
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title={`Allowed networks of ${apiKey.name}`}>
      <DialogForm form={form} onClose={onClose} send="Save" sending="Saving…">
        <NetworksField networks={apiKey.networks} errors={form.errors} />
      </DialogForm>
    </Dialog>
  );
}

/** Confirms the end of the secret from before the last rotation. */
export function EndSecretDialog({ apiKey, onClose }: Props) {
  return (
    <ConfirmChange
      keys={[organizationKeys.apiKeys]}
      call={() => api.delete(`/api/v1/api-keys/${apiKey.id}/previous-secret`)}
      done={`The previous secret of ${apiKey.name} has ended`}
      onClose={onClose}
      title={`End the previous secret of ${apiKey.name}?`}
      description="Programs that still use it are refused at once. The new secret keeps working."
      confirm="End it now"
      destructive
    />
  );
}

/** Confirms the revocation of an API key. */
export function RevokeDialog({ apiKey, onClose }: Props) {
  return (
    <ConfirmChange
      keys={[organizationKeys.apiKeys]}
      call={() => api.delete(`/api/v1/api-keys/${apiKey.id}`)}
      done={`${apiKey.name} was revoked`}
      onClose={onClose}
      title={`Revoke ${apiKey.name}?`}
      description="Programs that use it are refused at once. A revoked key cannot be restored."
      confirm="Revoke"
      destructive
    />
  );
}
