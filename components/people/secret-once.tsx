"use client";

import { Check, Copy } from "lucide-react";
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Input } from "@/components/ui/field.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";

/** A secret, such as a key or a link, shown once for copying. `quiet`: copying is not what the page is for. */
export function SecretOnce({
  label,
  value,
  quiet = false,
}: {
  label: string;
  value: string;
  quiet?: boolean;
}) {
  const id = useId();
  const [copied, setCopied] = useState<"yes" | "no" | null>(null);
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied("yes"),
      () => setCopied("no"),
    );
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium text-[13px]">
        {label}
      </label>
      <div className="flex gap-2">
        <Input
          id={id}
          readOnly
          value={value}
          onFocus={(event) => event.target.select()}
          className="font-mono text-[13px]"
        />
        <Button variant={quiet ? "outline" : "primary"} onClick={() => void copy()}>
          {copied === "yes" ? (
            <Check aria-hidden strokeWidth={1.75} />
          ) : (
            <Copy aria-hidden strokeWidth={1.75} />
          )}
          Copy
        </Button>
      </div>
      <p role="status" className="text-muted text-xs">
        {copied === "yes" && "Copied."}
        {copied === "no" && "The browser did not let it be copied: select it and copy it yourself."}
      </p>
    </div>
  );
}

/** A new secret in a dialog, with what there is to say about it, and the button that closes the dialog. */
export function NewSecret({
  onClose,
  children,
  ...secret
}: ComponentProps<typeof SecretOnce> & { onClose: () => void; children?: ReactNode }) {
  return (
    <>
      <SecretOnce {...secret} />
      {children}
      <DialogActions>
        <Button onClick={onClose}>Done</Button>
      </DialogActions>
    </>
  );
}
