"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ProofFields } from "@/app/(app)/settings/security/proof-fields.tsx";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import {
  codeInputSchema,
  proofSchema,
  type RecoveryCodes,
  type StartedSecondFactor,
} from "@/lib/people/accounts/account-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { security } from "@/lib/web/client/identity.ts";
import { RecoveryCodesList } from "./code-dialog.tsx";

interface Props {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  password: boolean;
  onTurnedOn?: () => void;
}

/** Asks for the password, then the app's first code, then shows the recovery codes. */
export function TurnOnDialog({ open, onOpenChange, password, onTurnedOn }: Props) {
  const client = useQueryClient();
  const [started, setStarted] = useState<StartedSecondFactor | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const onCodes = async (found: string[]) => {
    setCodes(found);
    onTurnedOn?.();
    await client.invalidateQueries({ queryKey: security().queryKey });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={codes ? "Keep these recovery codes" : "Turn on two-step sign-in"}
      description={
        codes
          ? "Two-step sign-in is on. Each of these signs you in once without your phone; they are shown only now."
          : started
            ? "Scan this with an authenticator app, or type the key into it. Then give the code that it shows."
            : "You need an authenticator app on your phone."
      }
    >
      {codes ? (
        <RecoveryCodesList codes={codes} onDone={() => onOpenChange(false)} />
      ) : started ? (
        <FirstCode started={started} onCodes={onCodes} onClose={() => onOpenChange(false)} />
      ) : (
        <Begin password={password} onStarted={setStarted} onClose={() => onOpenChange(false)} />
      )}
    </Dialog>
  );
}

function Begin({
  password,
  onStarted,
  onClose,
}: {
  password: boolean;
  onStarted: (started: StartedSecondFactor) => void;
  onClose: () => void;
}) {
  const form = useForm({
    schema: proofSchema,
    read: (data) => Object.fromEntries(data),
    send: async (values) => onStarted(await api.post("/api/v1/me/second-factor", values)),
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Continue">
      {password && <ProofFields error={form.errors.currentPassword} />}
    </DialogForm>
  );
}

function FirstCode({
  started,
  onCodes,
  onClose,
}: {
  started: StartedSecondFactor;
  onCodes: (codes: string[]) => Promise<void>;
  onClose: () => void;
}) {
  const form = useForm({
    schema: codeInputSchema,
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      const { recoveryCodes } = await api.post<RecoveryCodes>("/api/v1/me/second-factor/confirm", values);
      await onCodes(recoveryCodes);
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Turn on">
      <div className="flex flex-wrap items-center gap-4">
        <QrCode modules={started.modules} label="QR code for the authenticator app" />
        <div className="flex min-w-40 flex-1 flex-col gap-1">
          <span className="text-[13px] text-muted">Key</span>
          <code className="select-all break-all font-mono text-[13px]">
            {started.secret.replace(/(.{4})(?=.)/g, "$1 ")}
          </code>
        </div>
      </div>
      <TextField
        name="code"
        label="Code from the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={40}
        autoFocus
        error={form.errors.code}
      />
    </DialogForm>
  );
}

/** A QR code. Dark on light in both themes, because cameras expect that. */
function QrCode({ modules, label }: { modules: boolean[][]; label: string }) {
  const size = modules.length;
  const path = modules.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 shrink-0 rounded-lg border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
