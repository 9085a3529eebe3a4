"use client";

import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { useWaiting } from "@/components/shell/session/use-waiting.ts";

/** Shows the number of waiting requests on the tab's icon and on the installed app's icon; nothing for 0. */
export function IconDot() {
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
