"use client";

import { Keys } from "@/components/shell/keys/keys.tsx";
import { isSingleKey, SHORTCUT_GROUPS } from "@/components/shell/keys/shortcuts.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";

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
