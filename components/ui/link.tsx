"use client";

import { useRouter } from "next/navigation";
import type { ComponentProps, MouseEvent } from "react";

/** A link within Intray. Prefetches its page when the pointer enters, not when in view. */
export function Link({ href, onClick, ...props }: ComponentProps<"a"> & { href: string }) {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    // The browser opens new tabs and other targets itself.
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || props.target;
    if (event.defaultPrevented || elsewhere) return;
    event.preventDefault();
    router.push(href);
  };
  return <a href={href} onPointerEnter={() => router.prefetch(href)} {...props} onClick={follow} />;
}
