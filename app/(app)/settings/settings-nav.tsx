"use client";

import { ChevronRight } from "lucide-react";
import { usePathname } from "next/navigation";
import { useMe } from "@/components/shell/session/me.tsx";
import { SETTINGS_SECTIONS } from "@/components/shell/settings-sections.ts";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";

const GROUPS = ["You", "Organization"] as const;

/** The sections that the user's role may open: beside the open one, or on a narrow screen a page of their own. */
export function SettingsNav() {
  const { may } = useMe();
  const pathname = usePathname();
  const isList = pathname === "/settings";
  return (
    <nav
      aria-label="Settings"
      className={cn("flex shrink-0 flex-col gap-4 lg:w-48", !isList && "max-lg:hidden")}
    >
      {GROUPS.map((group) => {
        const sections = SETTINGS_SECTIONS.filter((each) => each.group === group && may(each.needs));
        if (sections.length === 0) return null;
        return (
          <div key={group} className="flex flex-col gap-1">
            <h2 id={`settings-${group}`} className="px-2 text-muted text-xs">
              {group}
            </h2>
            <ul
              aria-labelledby={`settings-${group}`}
              className="flex flex-col gap-0.5 max-lg:gap-0 max-lg:divide-y max-lg:divide-line max-lg:overflow-hidden max-lg:rounded-lg max-lg:border max-lg:border-line max-lg:bg-panel"
            >
              {sections.map(({ href, label, description, icon: Icon }) => {
                const active = pathname.startsWith(href) || (isList && href === FIRST);
                return (
                  <li key={href}>
                    <Link
                      href={href}
                      aria-current={active && !isList ? "page" : undefined}
                      className={cn(
                        "flex items-center gap-2.5 px-2 transition-colors focus-visible:-outline-offset-2 max-lg:min-h-14 max-lg:gap-3 max-lg:px-3 max-lg:py-2 lg:h-8 lg:rounded-lg",
                        active
                          ? "lg:bg-accent-soft lg:font-medium"
                          : "lg:text-muted lg:hover:bg-sunken lg:hover:text-ink",
                      )}
                    >
                      <Icon aria-hidden className="size-4 shrink-0 max-lg:text-muted" strokeWidth={1.75} />
                      <span className="min-w-0 flex-1 truncate">
                        {label}
                        <span className="block truncate text-muted text-xs lg:hidden">{description}</span>
                      </span>
                      <ChevronRight
                        aria-hidden
                        className="size-4 shrink-0 text-faint lg:hidden"
                        strokeWidth={1.75}
                      />
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

/** The section that a wide screen shows at `/settings`, beside the list. */
const FIRST = "/settings/appearance";
