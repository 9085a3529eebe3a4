"use client";

import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { verifyHistory } from "@/lib/api-client/events.ts";
import type { Verification } from "@/lib/events/schema.ts";
import { describeVerification } from "@/lib/format/verification.ts";

type State =
  | { step: "idle" }
  | { step: "checking" }
  | { step: "done"; found: Verification }
  | { step: "failed"; sentence: string };

/** Verifies the whole history on demand. */
export function useVerification() {
  const [state, setState] = useState<State>({ step: "idle" });
  const start = async () => {
    setState({ step: "checking" });
    try {
      setState({ step: "done", found: await verifyHistory() });
    } catch (error) {
      setState({ step: "failed", sentence: errorSentence(error) });
    }
  };
  return { state, start };
}

type Checked = ReturnType<typeof useVerification>;

export function VerifyButton({ verification: { state, start } }: { verification: Checked }) {
  const checking = state.step === "checking";
  return (
    <Button variant="primary" aria-disabled={checking} onClick={() => !checking && void start()}>
      <ShieldCheck aria-hidden strokeWidth={1.75} />
      {checking ? "Verifying…" : "Verify"}
    </Button>
  );
}

export function VerificationNotice({ verification: { state } }: { verification: Checked }) {
  const formats = useFormats();
  if (state.step === "failed")
    return (
      <Notice live tone="bad" title="The history could not be verified">
        {state.sentence}
      </Notice>
    );
  if (state.step !== "done") return null;
  const { title, detail } = describeVerification(state.found, formats);
  return (
    <Notice live tone={state.found.ok ? "good" : "bad"} title={title}>
      <p>{detail}</p>
      {state.found.ok && state.found.head && (
        <p>
          Keep this hash of the last line elsewhere, and nobody can rewrite what came before it:{" "}
          <code className="break-all font-mono text-xs">{state.found.head}</code>
        </p>
      )}
    </Notice>
  );
}
