"use client";

import { startRegistration, WebAuthnError } from "@simplewebauthn/browser";
import { useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { ProofFields } from "@/app/(app)/settings/security/proof-fields.tsx";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { addPasskeySchema, type PasskeyOptions, proofSchema } from "@/lib/people/accounts/account-schema.ts";
import { ApiError, api } from "@/lib/web/client/base/client.ts";
import { security } from "@/lib/web/client/identity.ts";

const schema = z.object({ name: addPasskeySchema.shape.name, ...proofSchema.shape });

/**
 * Asks for a name and the password; then the browser asks for the fingerprint, the face or the security key.
 */
export function AddPasskeyDialog({
  open,
  onOpenChange,
  password,
  onAdded,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  password: boolean;
  onAdded: () => void;
}) {
  const client = useQueryClient();
  const form = useForm({
    schema,
    read: (data) => Object.fromEntries(data),
    send: async ({ name, currentPassword }) => {
      const { options } = await api.post<PasskeyOptions>("/api/v1/me/passkeys/options", { currentPassword });
      const response = await makePasskey(options);
      await api.post("/api/v1/me/passkeys", { name, response });
      toast(`Passkey “${name}” added`);
      onAdded();
      onOpenChange(false);
      await client.invalidateQueries({ queryKey: security().queryKey });
    },
  });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Add a passkey"
      description="Your browser asks where to keep it: on this device, on your phone, or on a security key."
    >
      <DialogForm
        form={form}
        onClose={() => onOpenChange(false)}
        send="Add passkey"
        sending="Waiting for the browser…"
      >
        <TextField
          name="name"
          label="Name"
          description="A name that you will recognize, such as “Work laptop”."
          autoComplete="off"
          maxLength={60}
          error={form.errors.name}
        />
        {password && <ProofFields error={form.errors.currentPassword} />}
      </DialogForm>
    </Dialog>
  );
}

/** Creates a passkey in the browser. Throws an ApiError with a sentence on failure. */
async function makePasskey(options: PasskeyOptions["options"]) {
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"];
  try {
    return await startRegistration({ optionsJSON });
  } catch (error) {
    const known =
      error instanceof WebAuthnError && error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED";
    throw new ApiError(0, {
      code: "passkey_not_made",
      title: known
        ? "This device has a passkey for your account already"
        : "No passkey was made: the browser’s dialog was closed, or it can keep none",
    });
  }
}
