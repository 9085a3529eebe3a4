"use client";

import { tellError, useChange } from "@/components/form/change.ts";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import {
  type AuditStream,
  updateAuditStreamSchema,
} from "@/lib/outbound/audit-streams/audit-stream-schema.ts";
import { auditStreamName } from "@/lib/outbound/audit-streams/audit-stream-words.ts";
import { auditStreamApi, auditStreamKeys } from "@/lib/web/client/outbound.ts";
import { AccessKeyFields, CaField } from "./audit-stream-fields.tsx";

interface Props {
  stream: AuditStream;
  onClose: () => void;
}

/** Replaces what Intray signs in or checks with. The one before is never shown. */
export function CredentialsDialog({ stream: { id, kind }, onClose }: Props) {
  const save = useChange([auditStreamKeys.all], (change: object) => auditStreamApi.update(id, change), {
    done: "Saved",
    onError: tellError,
  });
  const isBucket = kind === "s3";
  const form = useForm({
    schema: updateAuditStreamSchema,
    read: (data) =>
      isBucket
        ? { accessKeyId: data.get("accessKeyId"), secretAccessKey: data.get("secretAccessKey") }
        : { ca: data.get("ca") },
    send: async (values) => {
      await save.mutateAsync(values);
      onClose();
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title={isBucket ? "New access key" : "CA certificate"}>
      <DialogForm form={form} onClose={onClose} send="Save" sending="Saving…">
        {isBucket ? <AccessKeyFields errors={form.errors} /> : <CaField errors={form.errors} />}
      </DialogForm>
    </Dialog>
  );
}

export function RemoveDialog({ stream, onClose }: Props) {
  const remove = useChange([auditStreamKeys.all], () => auditStreamApi.remove(stream.id), {
    done: "Destination removed",
    onError: tellError,
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Stop sending the history to ${auditStreamName(stream).title}?`}
      description="Lines that were sent stay there. If you add it again, it gets the history from the first line."
      confirm="Remove"
      destructive
      pending={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
    />
  );
}
