"use client";

import { useRef, useState } from "react";
import { api } from "@/lib/api-client/base/client.ts";
import type { NamedProvider } from "@/lib/organizations/sign-in/schema.ts";

interface Led {
  domain: string;
  organizationId: string;
  providers: NamedProvider[];
}

/** The provider that addresses of a typed address's domain sign in through. Where nothing is known, nothing is said. */
export function useWay() {
  const [led, setLed] = useState<Led | null>(null);
  const newest = useRef("");
  const look = async (email: string) => {
    const domain = email.slice(email.lastIndexOf("@") + 1).trim();
    if (email === newest.current) return;
    newest.current = email;
    const found = email.includes("@")
      ? await api.post<Omit<Led, "domain">>("/api/sign-in/way", { email: email.trim() }).catch(() => null)
      : null;
    if (newest.current !== email) return;
    setLed(found && found.providers.length > 0 ? { ...found, domain } : null);
  };
  return { led, look };
}
