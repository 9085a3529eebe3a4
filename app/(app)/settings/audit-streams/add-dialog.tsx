"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { SigningSecretDialog } from "@/components/people/signing-secret-dialog.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import {
  AUDIT_STREAM_KINDS,
  type AuditStreamKind,
  auditStreamKindSchema,
  createAuditStreamSchema,
} from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { AUDIT_STREAM_KIND_LABELS } from "@/lib/outbound/audit-streams/audit-stream-words.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { auditStreamKeys } from "@/lib/web/client/outbound.ts";
import { KindFields } from "./audit-stream-fields.tsx";

/** Asks for the kind and the address, then shows a webhook's secret once. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <SigningSecretDialog
      title="Add a destination"
      description="It gets the whole history, and from then on each line within seconds."
      done="The destination is ready"
      secret={secret}
      onClose={onClose}
    >
      <AddForm onMade={(made) => (made === null ? onClose() : setSecret(made))} onClose={onClose} />
    </SigningSecretDialog>
  );
}

function AddForm({ onMade, onClose }: { onMade: (secret: string | null) => void; onClose: () => void }) {
  const client = useQueryClient();
  const [kind, setKind] = useState<AuditStreamKind>("webhook");
  const form = useForm({
    schema: createAuditStreamSchema,
    read: (data) => {
      const { port, ...values } = Object.fromEntries(data);
      return port === undefined ? values : { ...values, port: Number(port) };
    },
    send: async (values) => {
      const { secret } = await api.post<{ secret: string | null }>("/api/v1/audit-streams", values);
      onMade(secret);
      await client.invalidateQueries({ queryKey: auditStreamKeys.all });
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Add the destination" sending="Adding…">
      <Field id="kind" label="Kind" required>
        {(control) => (
          <Select
            {...control}
            name="kind"
            value={kind}
            onChange={(event) => setKind(auditStreamKindSchema.parse(event.target.value))}
          >
            {AUDIT_STREAM_KINDS.map((each) => (
              <option key={each} value={each}>
                {AUDIT_STREAM_KIND_LABELS[each]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <KindFields key={kind} kind={kind} errors={form.errors} />
    </DialogForm>
  );
}
