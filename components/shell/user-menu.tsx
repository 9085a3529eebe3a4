"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { cn } from "@/components/ui/cn.ts";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Menu } from "@/components/ui/overlay/menu.tsx";

const UserMenuItems = lazyComponent(
  () => import("./user-menu-items.tsx").then((file) => file.UserMenuItems),
  {
    warm: true,
  },
);

export function UserMenu({ labelled = false }: { labelled?: boolean }) {
  const me = useMe();
  if (me.view) return null;
  return (
    <Menu
      align="start"
      items={UserMenuItems}
      trigger={
        <button
          type="button"
          aria-label={`${me.user.name}: account and appearance`}
          className={cn(
            "flex items-center gap-2.5 rounded-lg",
            labelled
              ? "h-9 w-full px-1.5 text-muted hover:bg-sunken hover:text-ink max-lg:justify-center"
              : "size-11 justify-center",
          )}
        >
          <span
            aria-hidden
            // Rendered by CSS: as text, the letter would be part of the visible label but not of the
            // accessible name.
            data-letter={me.user.name.charAt(0).toUpperCase()}
            className="grid size-6 shrink-0 place-items-center rounded-full border border-line bg-sunken font-semibold text-[11px] text-ink before:content-[attr(data-letter)]"
          />
          {labelled && <span className="truncate max-lg:hidden">{me.user.name}</span>}
        </button>
      }
    >
      <UserMenuItems />
    </Menu>
  );
}
