"use client";

import { useRouter } from "next/navigation";
import type { ComponentProps, MouseEvent } from "react";

/** A link within Intray. The page that it leads to is prepared when somebody points at it, not when it is in view. */
export function Link({ href, onClick, ...props }: ComponentProps<"a"> & { href: string }) {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    // Whoever opens it in a tab of its own, or somewhere else, has the browser do so.
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || props.target;
    if (event.defaultPrevented || elsewhere) return;
    event.preventDefault();
    router.push(href);
  };
  return <a href={href} onPointerEnter={() => router.prefetch(href)} {...props} onClick={follow} />;
}
