"use client";

import { ChevronLeft, ChevronRight, LogOut } from "lucide-react";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { MORE_ITEMS } from "@/components/shell/nav-items.ts";
import { Page } from "@/components/shell/pages/page.tsx";
import { leave } from "@/components/shell/session/leave.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { unreadWords, useUnread } from "@/components/shell/session/use-counts.ts";
import { SETTINGS_GROUPS, SETTINGS_SECTIONS } from "@/components/shell/settings-sections.ts";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Link } from "@/components/ui/link.tsx";
import { capitalise } from "@/lib/text/labels.ts";

/** The sections that the user's role may open: beside the open one, or on a narrow screen a page of their own. */
function SettingsNav() {
  const { may } = useMe();
  const pathname = usePathname();
  const isList = pathname === "/settings";
  return (
    <nav
      aria-label="Settings"
      className={cn("flex shrink-0 flex-col gap-4 lg:w-48", !isList && "max-lg:hidden")}
    >
      {SETTINGS_GROUPS.map((group) => {
        const sections = SETTINGS_SECTIONS.filter((each) => each.group === group && may(each.needs));
        if (sections.length === 0) return null;
        return (
          <div key={group} className="flex flex-col gap-1">
            <h2 id={idOf(group)} className="px-2 text-muted text-xs">
              {group}
            </h2>
            <ul
              aria-labelledby={idOf(group)}
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

const idOf = (group: string) => `settings-${group.toLowerCase().replaceAll(" ", "-")}`;

/** The section that a wide screen shows at `/settings`, beside the list. */
const FIRST = "/settings/appearance";

/** The sections beside the open one. On a narrow screen: the list, or one section with the way back. */
export default function SettingsLayout({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const section = SETTINGS_SECTIONS.find(({ href }) => pathname.startsWith(href));
  return (
    <Page
      title={
        section ? (
          <>
            <span className="lg:hidden">{section.label}</span>
            <span className="max-lg:hidden">Settings</span>
          </>
        ) : (
          "Settings"
        )
      }
      back={
        section && (
          <Link
            href="/settings"
            className="-ml-2 flex h-9 items-center gap-1 rounded-lg px-2 text-muted hover:text-ink max-md:h-11 lg:hidden"
          >
            <ChevronLeft aria-hidden className="size-4" strokeWidth={1.75} />
            Settings
          </Link>
        )
      }
      narrow={!section?.wide}
    >
      <div className="flex flex-col gap-6 lg:flex-row lg:gap-10">
        {!section && <Account />}
        {!section && <MoreLinks />}
        <SettingsNav />
        <div className={cn("flex min-w-0 flex-1 flex-col gap-6", !section?.wide && "max-w-2xl")}>
          {children}
        </div>
      </div>
    </Page>
  );
}

/** Who is signed in, and the way out. A wide screen has both in its user menu. */
function Account() {
  const { user, role, organization } = useMe();
  return (
    <section
      aria-label="Account"
      className="flex items-center gap-3 rounded-lg border border-line bg-panel p-3 lg:hidden"
    >
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{user.name}</p>
        <p className="truncate text-[13px] text-muted">{user.email}</p>
        <p className="truncate text-[13px] text-muted">
          {capitalise(role)} of {organization.name}
        </p>
      </div>
      <Button className="shrink-0 max-md:min-h-11" onClick={() => void leave()}>
        <LogOut aria-hidden strokeWidth={1.75} />
        Sign out
      </Button>
    </section>
  );
}

/** What a wide screen has in its sidebar, and a phone's bar has no room for. */
function MoreLinks() {
  const { may } = useMe();
  const unread = useUnread();
  return (
    <ul
      aria-label="More"
      className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel md:hidden"
    >
      {MORE_ITEMS.filter(({ needs }) => may(needs)).map(({ href, label, icon: Icon }) => (
        <li key={href}>
          <Link href={href} className="flex min-h-14 items-center gap-3 px-3 focus-visible:-outline-offset-2">
            <Icon aria-hidden className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
            <span className="min-w-0 flex-1 truncate">{label}</span>
            {href === "/notices" && unread > 0 && (
              <span className="text-[13px] text-muted tabular-nums">
                {unreadWords(unread)}
                <span className="sr-only"> unread</span>
              </span>
            )}
            <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" strokeWidth={1.75} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
