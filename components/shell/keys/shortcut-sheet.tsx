"use client";

import { useState } from "react";
import { Keys } from "@/components/shell/keys/keys.tsx";
import { isSingleKey, SHORTCUT_GROUPS } from "@/components/shell/keys/shortcuts.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { Switch } from "@/components/ui/switch.tsx";
import { errorSentence } from "@/lib/web/client/base/client.ts";

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
      description="Disabled while you type. An irreversible request needs more than one key: hold Enter, or type the word."
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

/** Every shortcut; switched-off ones are struck through. */
export function ShortcutList() {
  const { singleKeys } = useMe().preferences;
  return (
    <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
      {SHORTCUT_GROUPS.map((group) => (
        <section key={group.title} aria-label={group.title} className="flex flex-col gap-2">
          <h3 className="font-medium text-[13px] text-muted">{group.title}</h3>
          <dl className="flex flex-col gap-1.5">
            {group.shortcuts.map(({ keys, what }) => {
              const off = !singleKeys && isSingleKey(keys);
              return (
                <div key={keys} className="flex min-h-6 items-center justify-between gap-3">
                  <dt className={cn("order-2 flex gap-1", off && "text-muted line-through")}>
                    <Keys keys={keys} always />
                  </dt>
                  <dd className={cn("text-[13px]", off && "text-muted")}>
                    {what}
                    {off && <span className="sr-only"> (switched off)</span>}
                  </dd>
                </div>
              );
            })}
          </dl>
        </section>
      ))}
    </div>
  );
}

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
            ? "Keys such as A and R act while you are not typing."
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
