"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { InvitationMade } from "@/components/people/invitation-made.tsx";
import { RoleSelect } from "@/components/people/role-select.tsx";
import { Field } from "@/components/ui/field.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { createInvitationSchema, type NewInvitation } from "@/lib/people/invitations/invitation-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { onboardingKey } from "@/lib/web/client/onboarding.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";

/** Asks for the e-mail address and the role, then shows the invitation link once. */
export function InviteDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const [made, setMade] = useState<NewInvitation | null>(null);
  const close = () => {
    onOpenChange(false);
    setMade(null);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={made ? (made.url ? "The invitation is ready" : "The invitation was mailed") : "Invite somebody"}
      description={
        made?.url
          ? "Send this link yourself."
          : "By a link for one e-mail address. It works once, for a week."
      }
    >
      {made ? <InvitationMade made={made} onDone={close} /> : <InviteForm onMade={setMade} onClose={close} />}
    </Dialog>
  );
}

function InviteForm({
  onMade,
  onClose,
}: {
  onMade: (invitation: NewInvitation) => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const form = useForm({
    schema: createInvitationSchema,
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      onMade(await api.post<NewInvitation>("/api/v1/invitations", values));
      void client.invalidateQueries({ queryKey: onboardingKey });
      await client.invalidateQueries({ queryKey: organizationKeys.invitations });
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Invite" sending="Inviting…">
      <TextField name="email" label="E-mail" type="email" autoComplete="off" error={form.errors.email} />
      <Field id="role" label="Role" required error={form.errors.role}>
        {(control) => <RoleSelect {...control} long name="role" defaultValue="approver" />}
      </Field>
    </DialogForm>
  );
}
