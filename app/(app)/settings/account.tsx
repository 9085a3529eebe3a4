"use client";

import { LogOut } from "lucide-react";
import { useMe } from "@/components/shell/session/me.tsx";
import { leave } from "@/components/shell/session/sign-out.ts";
import { Button } from "@/components/ui/button.tsx";
import { capitalise } from "@/lib/text/labels.ts";

/** Who is signed in, and the way out. A wide screen has both in its user menu. */
export function Account() {
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
