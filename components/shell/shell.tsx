"use client";

import { TriangleAlert } from "lucide-react";
import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useGoKeys, useShortcuts } from "@/components/shell/keys/use-shortcuts.ts";
import { BottomBar, Nav } from "@/components/shell/nav.tsx";
import { OVERLAYS, type Overlay, openOverlay } from "@/components/shell/open-overlay.ts";
import { followOthers } from "@/components/shell/session/leave.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { StepUp } from "@/components/shell/session/step-up.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { isDialogOpen, KeyLock } from "@/components/ui/overlay/key-lock.tsx";
import { onFirstToast } from "@/components/ui/toast/toast.ts";
import { Live } from "@/lib/web/client/base/live.tsx";
import { useWatchedConnection } from "@/lib/web/client/base/use-connection.ts";
import { TROUBLE_WORDS } from "@/lib/web/words/trouble.ts";

/** What is typed while an overlay loads is meant for it, and not for the page. */
const whileLoading = { loading: ({ open }: { open: boolean }) => open && <KeyLock /> };

/** Each overlay is loaded on first use. */
const PARTS = {
  palette: lazyComponent(() => import("./palette/palette.tsx").then((file) => file.Palette), whileLoading),
  shortcuts: lazyComponent(
    () => import("./keys/shortcut-sheet.tsx").then((file) => file.ShortcutSheet),
    whileLoading,
  ),
  ask: lazyComponent(
    () => import("../request/ask/ask-dialog.tsx").then((file) => file.AskDialog),
    whileLoading,
  ),
  moved: lazyComponent(
    () => import("./session/organization-switched-dialog.tsx").then((file) => file.Moved),
    whileLoading,
  ),
} satisfies Record<Overlay, unknown>;

function Overlays() {
  const [shown, setShown] = useState<Overlay | null>(null);
  const [used, setUsed] = useState<Overlay[]>([]);
  useShortcuts({ "?": () => openOverlay("shortcuts") });

  useEffect(() => {
    const stop = new AbortController();
    const show = (overlay: Overlay) => {
      setUsed((before) => (before.includes(overlay) ? before : [...before, overlay]));
      setShown(overlay);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || event.defaultPrevented) return;
      event.preventDefault();
      // The palette would hide the decision in the open dialog.
      if (isDialogOpen()) return;
      // A direct call: React renders its change before the next key, but not the change of a custom event.
      show("palette");
    };
    window.addEventListener("keydown", onKey, stop);
    for (const overlay of OVERLAYS) window.addEventListener(`intray:${overlay}`, () => show(overlay), stop);
    return () => stop.abort();
  }, []);

  return used.map((overlay) => {
    const Shown = PARTS[overlay];
    return (
      <Shown
        key={overlay}
        open={shown === overlay}
        onOpenChange={(open) => setShown((before) => (open ? overlay : before === overlay ? null : before))}
      />
    );
  });
}

const NOT_LIVE = "Live updates are off. Refreshing every 30 seconds.";

/** Says why the page cannot reach Intray, and the consequence for decisions. */
function ConnectionBar() {
  const me = useMe();
  const pathname = usePathname();
  const trouble = useWatchedConnection(me.user.id);
  return (
    // Always mounted: a live region announces only content added later.
    <div role="status">
      {trouble && (
        <p className="flex items-center justify-center gap-2 border-wait/30 border-b bg-wait-soft px-4 py-1.5 text-[13px] text-wait">
          <TriangleAlert aria-hidden className="size-4 shrink-0" strokeWidth={1.75} />
          {trouble === "signed_out" ? (
            <span className="flex flex-wrap items-center gap-x-2">
              <span>You were signed out. Your text is still here.</span>
              <a
                href={`/sign-in?callbackUrl=${encodeURIComponent(pathname)}`}
                target="_blank"
                rel="noopener"
                className="font-medium underline underline-offset-4 max-md:py-3"
              >
                Sign in again
                <span className="sr-only"> in a new tab</span>
              </a>
            </span>
          ) : (
            <span>
              {trouble === "not_live" ? NOT_LIVE : `${TROUBLE_WORDS[trouble]} This page may be out of date.`}
            </span>
          )}
        </p>
      )}
    </div>
  );
}

const Worker = lazyComponent(() => import("./worker/service-worker.ts").then((file) => file.Worker));
const GoHint = lazyComponent(() => import("./keys/go-hint.tsx").then((file) => file.GoHint), { warm: true });
const NotInView = lazyComponent(() => import("./pages/not-in-view.tsx").then((file) => file.NotInView), {
  warm: true,
});
/** All that a view shows: lists of requests and tasks, and each of them. */
const SHOWN_IN_VIEW = /^\/(inbox|tasks)(\/(?!new$)[^/]*)?$/;
const ViewBar = lazyComponent(() => import("./bars.tsx").then((file) => file.ViewBar));
const DeletionBar = lazyComponent(() => import("./bars.tsx").then((file) => file.DeletionBar));
const Tour = lazyComponent(() => import("./tour.tsx").then((file) => file.Tour), {
  // The height of the strip.
  loading: () => <div className="min-h-12 max-md:min-h-[116px]" />,
});

export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const [going, endGoing] = useGoKeys();
  useRouteFocus();
  useEffect(followOthers, []);
  // On a phone a request fills the screen: its decision bar replaces the navigation.
  const pathname = usePathname();
  const fullScreen = /^\/inbox\/.+/.test(pathname);
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-accent font-medium text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-4 focus:py-2"
      >
        Skip to content
      </a>
      <Live scope={`${me.user.id}:${me.organization.id}`} />
      {me.view && <ViewBar {...me.view} />}
      {me.deletion && <DeletionBar {...me.deletion} />}
      <ConnectionBar />
      {pathname.startsWith("/inbox") && !me.preferences.tourSeen && <Tour hiddenOnPhones={fullScreen} />}
      <div className="flex min-h-0 flex-1">
        <Nav />
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {me.view && !SHOWN_IN_VIEW.test(pathname) ? <NotInView /> : children}
        </main>
      </div>
      <BottomBar hidden={fullScreen} />
      <Overlays />
      <StepUp />
      {going && <GoHint onEnd={endGoing} />}
      <Toaster />
      {!me.view && <Worker />}
    </div>
  );
}

/**
 * Moves the focus to the heading after a navigation, so that Tab and screen readers continue from there
 * instead of the old link. Next announces the page's title itself. All requests of the inbox count as one
 * page.
 */
function useRouteFocus() {
  const pathname = usePathname();
  const page = pathname.startsWith("/inbox") ? "/inbox" : pathname;
  const last = useRef(page);
  useEffect(() => {
    if (last.current === page) return;
    last.current = page;
    const main = document.getElementById("main");
    // The page may have set the focus itself.
    if (main !== document.activeElement && main?.contains(document.activeElement)) return;
    focusPage();
  }, [page]);
}

/** Focuses the page's heading, or the main element if there is no heading. */
function focusPage() {
  const main = document.getElementById("main");
  const heading = main?.querySelector("h1");
  if (heading) heading.tabIndex = -1;
  (heading ?? main)?.focus({ preventScroll: true });
}

const ToasterBox = lazyComponent(
  () => import("@/components/ui/toast/toaster-box.tsx").then((file) => file.ToasterBox),
  {
    warm: true,
  },
);

/** Mounts the toaster once the first toast is raised. */
function Toaster() {
  const [wanted, setWanted] = useState(false);
  useEffect(() => onFirstToast(() => setWanted(true)), []);
  return wanted && <ToasterBox />;
}
