"use client";

import { useCallback, useEffect, useState } from "react";

export interface LinkToken {
  /** Null: the address had none. Undefined: not read yet. */
  token: string | null | undefined;
  /** Grows each time that a link is opened on the page, also the same one again. */
  opened: number;
  /** Forgets the token once it is used, or works no more. */
  forget: () => void;
}

/**
 * Reads a link's token from the `#` fragment, which browsers never send, and removes it from the address at once. The
 * tab's own storage keeps it, so that a reload and coming back from signing in still work. Links of earlier versions
 * have it in the query.
 */
export function useLinkToken(page: "join" | "set-password" | "unsubscribe"): LinkToken {
  const [{ token, opened }, setLink] = useState<{ token: string | null | undefined; opened: number }>({
    token: undefined,
    opened: 0,
  });
  const key = `intray.${page}.token`;
  useEffect(() => {
    const take = () => {
      const { hash, search, pathname } = window.location;
      const given =
        new URLSearchParams(hash.slice(1)).get("token") ?? new URLSearchParams(search).get("token");
      if (given) {
        inStorage((storage) => storage.setItem(key, given));
        window.history.replaceState(window.history.state, "", pathname);
      }
      const token = given || inStorage((storage) => storage.getItem(key)) || null;
      setLink(({ opened }) => ({ token, opened: opened + 1 }));
    };
    take();
    // Another link may be opened while this page is open already.
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, [key]);
  const forget = useCallback(() => {
    inStorage((storage) => storage.removeItem(key));
  }, [key]);
  return { token, opened, forget };
}

/** Null where the browser keeps nothing for this site. */
function inStorage<T>(use: (storage: Storage) => T): T | null {
  try {
    return use(window.sessionStorage);
  } catch {
    return null;
  }
}
