"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { codeInputSchema, type RecoveryCodes } from "@/lib/people/accounts/account-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { security } from "@/lib/web/client/identity.ts";

const WORDS = {
  off: {
    title: "Turn off two-step sign-in",
    description: "Then your password alone signs you in, and your recovery codes stop working.",
    action: "Turn off",
  },
  codes: {
    title: "Make new recovery codes",
    description: "The ones that you have stop working.",
    action: "Make new codes",
  },
};

/** Asks for a code of the authenticator app, or a recovery code. */
export function CodeDialog({
  open,
  onOpenChange,
  purpose,
  onDone,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  purpose: keyof typeof WORDS;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const [codes, setCodes] = useState<string[] | null>(null);
  const form = useForm({
    schema: codeInputSchema,
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      if (purpose === "off") {
        await api.post("/api/v1/me/second-factor/remove", values);
        toast("Two-step sign-in is off");
        onOpenChange(false);
      } else {
        const path = "/api/v1/me/second-factor/recovery-codes";
        setCodes((await api.post<RecoveryCodes>(path, values)).recoveryCodes);
      }
      onDone();
      await client.invalidateQueries({ queryKey: security().queryKey });
    },
  });
  const words = WORDS[purpose];
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={codes ? "Keep these recovery codes" : words.title}
      description={
        codes
          ? "Each of these signs you in once without your phone; they are shown only now."
          : words.description
      }
    >
      {codes ? (
        <RecoveryCodesList codes={codes} onDone={() => onOpenChange(false)} />
      ) : (
        <DialogForm
          form={form}
          onClose={() => onOpenChange(false)}
          send={words.action}
          variant={purpose === "off" ? "destructive" : "primary"}
        >
          <TextField
            name="code"
            label="Code"
            description="From your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            autoCapitalize="none"
            maxLength={40}
            error={form.errors.code}
          />
        </DialogForm>
      )}
    </Dialog>
  );
}

/** New recovery codes, shown once. */
export function RecoveryCodesList({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(codes.join("\n"));
      toast("Recovery codes copied");
    } catch {
      toast.error("The browser did not let them be copied. Select them instead.");
    }
  };
  return (
    <>
      <ol
        aria-label="Recovery codes"
        className="grid select-all grid-cols-1 gap-x-6 gap-y-1.5 rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-[13px] tabular-nums min-[420px]:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <DialogActions>
        <Button onClick={() => void copy()}>
          <Copy aria-hidden strokeWidth={1.75} />
          Copy
        </Button>
        <Button variant="primary" onClick={onDone}>
          I have kept them
        </Button>
      </DialogActions>
    </>
  );
}
