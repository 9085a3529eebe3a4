"use client";

import { usePathname } from "next/navigation";
import { useMe } from "@/components/shell/session/me.tsx";
import { SETTINGS_SECTIONS } from "@/components/shell/settings-sections.ts";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";

/** On a phone the sections form one scrolling line. */
const bringIntoView = (link: HTMLElement | null) =>
  link?.scrollIntoView({ block: "nearest", inline: "center" });

const GROUPS = ["You", "Organization"] as const;

/** The sections that the user's role may open. */
export function SettingsNav() {
  const { may } = useMe();
  const pathname = usePathname();
  return (
    <nav
      aria-label="Settings"
      className="relative flex shrink-0 flex-col gap-4 max-lg:-mx-1 max-lg:flex-row max-lg:gap-0.5 max-lg:overflow-x-auto max-lg:px-1 lg:w-48"
    >
      {GROUPS.map((group) => {
        const sections = SETTINGS_SECTIONS.filter((each) => each.group === group && may(each.needs));
        if (sections.length === 0) return null;
        return (
          <div key={group} className="flex flex-col gap-1">
            <h2 id={`settings-${group}`} className="px-2 text-muted text-xs max-lg:sr-only">
              {group}
            </h2>
            <ul aria-labelledby={`settings-${group}`} className="flex gap-0.5 lg:flex-col">
              {sections.map(({ href, label, icon: Icon }) => {
                const active = pathname.startsWith(href);
                return (
                  <li key={href}>
                    <Link
                      href={href}
                      aria-current={active ? "page" : undefined}
                      ref={active ? bringIntoView : undefined}
                      className={cn(
                        "flex h-8 items-center gap-2.5 whitespace-nowrap rounded-lg px-2 transition-colors focus-visible:-outline-offset-2 max-md:h-11 max-md:gap-2 max-md:px-2.5",
                        active ? "bg-accent-soft font-medium" : "text-muted hover:bg-sunken hover:text-ink",
                      )}
                    >
                      <Icon aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
                      {label}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}
