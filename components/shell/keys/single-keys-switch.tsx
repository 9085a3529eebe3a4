"use client";

import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { errorSentence } from "@/lib/web/client/base/client.ts";

/** Switches single-key shortcuts on and off (WCAG 2.1.4). */
export function SingleKeysSwitch() {
  const { preferences, prefer } = useMe();
  const [failure, setFailure] = useState<string | null>(null);
  const change = (singleKeys: boolean) => {
    setFailure(null);
    prefer({ singleKeys }).catch((error: unknown) => setFailure(errorSentence(error)));
  };
  return (
    <div className="flex flex-col gap-1.5">
      <Switch
        checked={preferences.singleKeys}
        onChange={change}
        label="Single-key shortcuts"
        description={
          preferences.singleKeys
            ? "Letters and signs act while nothing is being typed."
            : "Off: only Esc, Enter and Ctrl K act. Useful with speech input."
        }
      />
      {failure && (
        <p role="alert" className="text-[13px] text-bad">
          {failure}
        </p>
      )}
    </div>
  );
}
