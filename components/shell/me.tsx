"use client";

import { createContext, type ReactNode, useContext } from "react";
import { type Role, roleAllows } from "@/lib/members/schema.ts";

export interface Me {
  user: { id: string; name: string; email: string };
  organization: { id: string; slug: string; name: string };
  role: Role;
}

const MeContext = createContext<Me | null>(null);

export function MeProvider({ me, children }: { me: Me; children: ReactNode }) {
  return <MeContext value={me}>{children}</MeContext>;
}

/** Who looks at the screen. It decides what is offered; the API decides what is allowed. */
export function useMe(): Me & { may: (role: Role) => boolean } {
  const me = useContext(MeContext);
  if (!me) throw new Error("useMe outside the signed-in part");
  return { ...me, may: (role) => roleAllows(me.role, role) };
}
