import type { ComponentProps, ReactNode } from "react";
import type { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";

/** A `useForm()` in a dialog: why it failed, the fields, and the buttons that close the dialog and send the form. */
export function DialogForm({
  form: { form, failure, pending, onSubmit },
  onClose,
  send,
  sending = send,
  variant = "primary",
  unchanged,
  children,
}: {
  form: ReturnType<typeof useForm>;
  onClose: () => void;
  /** On the button, and while the form is being sent. */
  send: string;
  sending?: string;
  variant?: ComponentProps<typeof Button>["variant"];
  /** Shown below the failure. */
  unchanged?: string;
  children: ReactNode;
}) {
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && (
        <Notice live tone="bad" title={failure}>
          {unchanged && <p>{unchanged}</p>}
        </Notice>
      )}
      {children}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" variant={variant} disabled={pending}>
          {pending ? sending : send}
        </Button>
      </DialogActions>
    </form>
  );
}
