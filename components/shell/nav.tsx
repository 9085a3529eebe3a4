"use client";

import { ChevronsUpDown, Inbox, ListTodo, Search, Settings } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { useCommandKey } from "@/components/shell/keys/keys.tsx";
import {
  APPROVER_ITEMS,
  ME,
  MORE_ITEMS,
  NAV_ITEMS,
  type NavItem,
  placeOf,
} from "@/components/shell/nav-items.ts";
import { openOverlay } from "@/components/shell/open-overlay.ts";
import { useFormats, useMe } from "@/components/shell/session/me.tsx";
import { useUnread, useWaiting } from "@/components/shell/session/use-counts.ts";
import { UserMenu } from "@/components/shell/user-menu.tsx";
import { CountBadge } from "@/components/ui/badge.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Kbd } from "@/components/ui/kbd.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Menu } from "@/components/ui/overlay/menu.tsx";
import { useFirstSteps } from "@/lib/web/client/onboarding.ts";

const SETTINGS = { href: "/settings", label: "Settings", icon: Settings };
/** While an admin views as a member only the first items, inbox and tasks, are shown. */
const IN_VIEW = 2;
const GET_STARTED = { href: "/get-started", label: "Get started", icon: ListTodo };

/** The left navigation: full on wide screens, icons only on medium ones, hidden on phones (see BottomBar). */
export function Nav() {
  const me = useMe();
  const counts: Record<string, { count: number; of: string }> = {
    "/inbox": { count: useWaiting(), of: "waiting" },
    "/notices": { count: useUnread(), of: "unread" },
  };
  const firstSteps = useFirstSteps();
  const more = me.view ? [] : MORE_ITEMS.filter(({ needs }) => me.may(needs));
  return (
    <nav
      aria-label="Main"
      className="hidden shrink-0 flex-col gap-4 border-r border-line bg-bg px-2 py-3 md:flex md:w-14 lg:w-[216px]"
    >
      <IconDot />
      <div className="flex h-7 items-center gap-2.5 px-2 max-lg:justify-center">
        <Inbox aria-hidden className="size-[18px]" strokeWidth={2} />
        <span className="font-semibold text-[15px] tracking-tight max-lg:sr-only">Intray</span>
      </div>
      <OrganizationTile />
      <ul className="flex flex-col gap-0.5">
        {NAV_ITEMS.slice(0, me.view ? IN_VIEW : undefined)
          .flatMap((item) => [item, ...more.filter(({ below }) => below === item.href)])
          .map((item) => (
            <li key={item.href}>
              <NavLink item={item} {...counts[item.href]} />
            </li>
          ))}
      </ul>
      <div className="mt-auto flex flex-col gap-0.5">
        {firstSteps?.over === false && <NavLink item={GET_STARTED} />}
        {!me.view && <PaletteButton />}
        {!me.view && <NavLink item={SETTINGS} />}
        <UserMenu labelled />
      </div>
    </nav>
  );
}

const OrganizationItems = lazyComponent(
  () => import("./user-menu-items.tsx").then((file) => file.OrganizationItems),
  { warm: true },
);

/** Where one is; for members of several organizations, the way to the others. */
function OrganizationTile() {
  const me = useMe();
  const { name } = me.organization;
  const contents = (
    <>
      <span
        aria-hidden
        className="grid size-[22px] shrink-0 place-items-center rounded-md bg-accent font-semibold text-accent-ink text-xs"
      >
        {name.charAt(0).toUpperCase()}
      </span>
      <span className="min-w-0 flex-1 truncate text-left font-medium max-lg:sr-only">{name}</span>
    </>
  );
  if (me.view || me.organizations.length < 2)
    return <div className="flex items-center gap-2.5 px-1.5 max-lg:justify-center">{contents}</div>;
  return (
    <Menu
      align="start"
      items={OrganizationItems}
      trigger={
        <button
          type="button"
          aria-label={`${name}: switch organization`}
          className="flex items-center gap-2.5 rounded-lg border border-line bg-panel p-2 hover:bg-sunken max-lg:justify-center"
        >
          {contents}
          <ChevronsUpDown
            aria-hidden
            className="size-4 shrink-0 text-muted max-lg:hidden"
            strokeWidth={1.75}
          />
        </button>
      }
    >
      <OrganizationItems />
    </Menu>
  );
}

/** The navigation at the bottom of a phone's screen. */
export function BottomBar({ hidden }: { hidden: boolean }) {
  const me = useMe();
  const waiting = useWaiting();
  const unread = useUnread();
  const pathname = usePathname();
  const isDone = useSearchParams().get("tab") === "done";
  const isApprover = me.role === "approver" && !me.view;
  const own = isApprover ? APPROVER_ITEMS : [...NAV_ITEMS, ME];
  const items = me.view ? NAV_ITEMS.slice(0, IN_VIEW) : own;
  // The page Me leads to the notifications where the bar does not.
  const bell = isApprover ? "/notices" : ME.href;
  return (
    <nav
      aria-label="Main"
      className={cn(
        "shrink-0 border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] md:hidden",
        hidden && "hidden",
      )}
    >
      <ul className="flex">
        {items.map(({ href, label, icon: Icon }) => {
          const [page = "", query] = href.split("?");
          // Done is a tab of the inbox, and an item of its own for approvers.
          const isOther = isApprover && page === "/inbox" && isDone !== (query !== undefined);
          const active = pathname.startsWith(page) && !isOther;
          return (
            <li key={href} className="flex-1">
              <Link
                href={href}
                aria-current={active ? "page" : undefined}
                className={cn(
                  "flex h-15 flex-col items-center justify-center gap-1 text-xs",
                  active ? "font-medium text-accent" : "text-muted",
                )}
              >
                <span className="relative">
                  <Icon aria-hidden className="size-5" strokeWidth={1.75} />
                  {href === "/inbox" && <CountBadge count={waiting} of="waiting" />}
                  {href === bell && <CountBadge count={unread} of="unread" />}
                </span>
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function NavLink({
  item,
  count = 0,
  of = "",
}: {
  item: Pick<NavItem, "href" | "label" | "icon">;
  count?: number;
  of?: string;
}) {
  const pathname = usePathname();
  const place = placeOf(pathname);
  const active = place ? place === item.href : pathname.startsWith(item.href);
  const { number } = useFormats();
  const Icon = item.icon;
  return (
    <Link
      href={item.href}
      aria-current={active ? "page" : undefined}
      title={item.label}
      className={cn(
        "flex h-8 items-center gap-2.5 rounded-lg px-2 transition-colors max-lg:h-10 max-lg:justify-center",
        active ? "bg-accent-soft font-medium" : "text-muted hover:bg-sunken hover:text-ink",
      )}
    >
      <Icon aria-hidden className="size-[18px] shrink-0" strokeWidth={1.75} />
      <span className="max-lg:sr-only">{item.label}</span>
      {count > 0 && (
        <span
          className={cn(
            "ml-auto text-[13px] tabular-nums max-lg:hidden",
            active && "font-semibold text-accent",
          )}
        >
          {number(count)}
          <span className="sr-only"> {of}</span>
        </span>
      )}
    </Link>
  );
}

/** Shows the number of waiting requests on the tab's icon and on the installed app's icon; nothing for 0. */
function IconDot() {
  const waiting = useWaiting();
  const pathname = usePathname();
  // biome-ignore lint/correctness/useExhaustiveDependencies: Next puts its own icon in place as pages change
  useEffect(() => {
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel~="icon"]')) {
      link.dataset.plain ??= link.href;
      link.href = waiting > 0 ? drawIcon(waiting) : link.dataset.plain;
    }
    const badge = waiting > 0 ? navigator.setAppBadge?.(waiting) : navigator.clearAppBadge?.();
    // Some browsers have no app badge, and some refuse one outside an installed app.
    badge?.catch(() => undefined);
  }, [waiting, pathname]);
  return null;
}

/**
 * Returns the tray icon with a number, as a data URL. The colours follow the system's scheme, as the
 * browser's tabs do, not Intray's theme.
 */
function drawIcon(waiting: number): string {
  const words = waiting > 99 ? "99+" : String(waiting);
  const width = 22 + words.length * 12;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><style>
    .tile{fill:#007373}.tray{stroke:#fff}.disc{fill:#8a4b00;stroke:#fff}.figure{fill:#fff}
    @media (prefers-color-scheme:dark){.tile{fill:#4cc1bd}.tray{stroke:#04191b}.disc{fill:#f3b95f;stroke:#04191b}.figure{fill:#221300}}
  </style><rect class="tile" width="64" height="64" rx="15"/><g class="tray" fill="none" stroke-width="4.5" stroke-linecap="round" stroke-linejoin="round"><path d="M50 33H39.5l-4 6h-7l-4-6H14"/><path d="M20.4 18.8 14 33v10.5a4 4 0 0 0 4 4h28a4 4 0 0 0 4-4V33l-6.4-14.2a4 4 0 0 0-3.6-2.3H24a4 4 0 0 0-3.6 2.3z"/></g><rect class="disc" stroke-width="3" x="${64 - width}" y="30" width="${width}" height="34" rx="14"/><text class="figure" x="${64 - width / 2}" y="55" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="24">${words}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** The button in the navigation that opens the palette. */
function PaletteButton() {
  const command = useCommandKey();
  return (
    <button
      type="button"
      title="Search and commands"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => openOverlay("palette")}
      className="flex h-8 w-full items-center gap-2.5 rounded-lg px-2 text-muted transition-colors hover:bg-sunken hover:text-ink max-lg:h-10 max-lg:justify-center"
    >
      <Search aria-hidden className="size-[18px] shrink-0" strokeWidth={1.75} />
      <span className="max-lg:sr-only">Search</span>
      <Kbd className="ml-auto max-lg:hidden">{`${command} K`}</Kbd>
    </button>
  );
}
