"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";

/** The ways on for somebody whom one organization does not let in: another one, or signing out. */
export function GoOn({ organizations }: { organizations: { id: string; name: string }[] }) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const go = async (organizationId: string) => {
    setPending(true);
    setFailure(null);
    try {
      await api.put("/api/v1/me/organization", { organizationId });
      // A full load, so that no page cached for the other organization is shown.
      window.location.assign("/");
    } catch (error) {
      setFailure(errorSentence(error));
      setPending(false);
    }
  };
  const leave = async () => {
    setPending(true);
    const { signOut } = await import("next-auth/react");
    await signOut({ callbackUrl: "/sign-in" }).catch(() => setPending(false));
  };
  return (
    <div className="flex flex-col gap-2">
      {failure && <Notice live tone="bad" title={failure} />}
      {organizations.map(({ id, name }) => (
        <Button key={id} className="max-w-full" disabled={pending} onClick={() => void go(id)}>
          <span className="truncate">Go on in {name}</span>
        </Button>
      ))}
      <Button variant="ghost" disabled={pending} onClick={() => void leave()}>
        Sign out
      </Button>
    </div>
  );
}
