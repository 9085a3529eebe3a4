"use client";

import { Copy } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";

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
