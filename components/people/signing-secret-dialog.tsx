"use client";

import type { ReactNode } from "react";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";

/** Adds a receiver of Intray's calls: first the form, then, where there is one, its signing secret, shown only once. */
export function SigningSecretDialog({
  title,
  description,
  done,
  secret,
  onClose,
  children,
}: {
  title: string;
  description: string;
  /** The title beside the secret. */
  done: string;
  secret: string | null;
  onClose: () => void;
  /** The form. */
  children: ReactNode;
}) {
  if (secret === null)
    return (
      <Dialog open onOpenChange={onClose} title={title} description={description}>
        {children}
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={done}
      description="Copy the secret now: it is shown only once. With it the receiver checks that a call is Intray’s."
    >
      <NewSecret label="Signing secret" value={secret} onClose={onClose} />
    </Dialog>
  );
}
