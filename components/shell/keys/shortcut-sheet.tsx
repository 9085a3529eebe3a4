"use client";

import { ShortcutList } from "@/components/shell/keys/shortcut-list.tsx";
import { SingleKeysSwitch } from "@/components/shell/keys/single-keys-switch.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";

export function ShortcutSheet({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keyboard shortcuts"
      description="Disabled while typing. No single key decides what is irreversible: hold Enter, or type the word."
      forReading
      className="md:max-w-3xl"
    >
      <ShortcutList />
      <div className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-4">
        <SingleKeysSwitch />
        <Link
          href="/settings/keyboard"
          onClick={() => onOpenChange(false)}
          className="inline-flex items-center text-[13px] text-accent underline underline-offset-4 max-md:min-h-11"
        >
          Keyboard settings
        </Link>
      </div>
    </Dialog>
  );
}
