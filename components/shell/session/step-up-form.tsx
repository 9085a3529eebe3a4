"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { LoadFailure } from "@/components/ui/failure.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { PasskeyOptions, StepUp } from "@/lib/people/accounts/account-schema.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";

/** The field, or the button, of what the account has. `onEnd` tells whether the person has shown it. */
export function StepUpForm({ onEnd }: { onEnd: (shown: boolean) => void }) {
  const { data, isError, error, refetch } = useQuery({
    queryKey: ["step-up"],
    queryFn: ({ signal }) => api.get<StepUp>("/api/v1/me/step-up", signal),
    // The account may have got another way since the last time.
    gcTime: 0,
  });
  if (!data && isError)
    return <LoadFailure what="Your account" error={error} onRetry={() => void refetch()} />;
  if (!data) return <div aria-hidden className="skeleton h-24" />;
  if (data.ways.includes("provider"))
    return (
      <div className="flex flex-col gap-4">
        <p>Sign out, sign in again at your provider, and repeat this within 5 minutes.</p>
        <DialogActions>
          <Button onClick={() => onEnd(false)}>Close</Button>
        </DialogActions>
      </div>
    );
  return <Ways ways={data.ways} onEnd={onEnd} />;
}

const FIELDS = {
  code: { label: "Code", description: "Of your app, or a recovery code.", autoComplete: "one-time-code" },
  password: { label: "Your password", autoComplete: "current-password", type: "password" },
};

function Ways({ ways, onEnd }: { ways: StepUp["ways"]; onEnd: (shown: boolean) => void }) {
  const way = ways.find((each) => each === "code" || each === "password");
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: z.record(z.string(), z.string().min(1, "Required")),
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      await api.post("/api/v1/me/step-up", values);
      onEnd(true);
    },
  });
  const passkey = useMutation({
    mutationFn: async () => api.post("/api/v1/me/step-up", { passkey: await askPasskey() }),
    onSuccess: () => onEnd(true),
  });
  const busy = pending || passkey.isPending;
  const problem = failure ?? (passkey.error && errorSentence(passkey.error));
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {problem && <Notice live tone="bad" title={problem} />}
      {way && <TextField name={way} {...FIELDS[way]} error={errors[way]} />}
      <DialogActions>
        <Button onClick={() => onEnd(false)}>Close</Button>
        {ways.includes("passkey") && (
          <Button variant={way ? "outline" : "primary"} disabled={busy} onClick={() => passkey.mutate()}>
            Use a passkey
          </Button>
        )}
        {way && (
          <Button type="submit" variant="primary" disabled={busy}>
            {pending ? "Confirming…" : "Confirm"}
          </Button>
        )}
      </DialogActions>
    </form>
  );
}

async function askPasskey() {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const { options } = await api.post<PasskeyOptions>("/api/sign-in/passkey");
  const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]["optionsJSON"];
  return startAuthentication({ optionsJSON }).catch(() => {
    throw new ApiError(0, {
      code: "passkey_closed",
      title: "No passkey was used: the browser’s dialog was closed",
    });
  });
}
