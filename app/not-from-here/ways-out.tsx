"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";

interface Other {
  id: string;
  name: string;
  reached: boolean;
}

/** Try again, work in another organization, or sign out. */
export function WaysOut({ others }: { others: Other[] }) {
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const attempt = async (what: string, work: () => Promise<unknown>, then: string) => {
    setBusy(what);
    setFailure(null);
    try {
      await work();
      window.location.assign(then);
    } catch (error) {
      setFailure(errorSentence(error));
      setBusy(null);
    }
  };
  return (
    <div className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <Button variant="primary" disabled={busy !== null} onClick={() => window.location.assign("/")}>
        Try again
      </Button>
      {others.length > 0 && (
        <section aria-labelledby="others" className="flex flex-col gap-2">
          <h2 id="others" className="text-[13px] text-muted">
            Your other organizations
          </h2>
          <ul className="flex flex-col gap-2">
            {others.map(({ id, name, reached }) => (
              <li key={id} className="flex flex-col gap-1">
                <Button
                  className="w-full"
                  disabled={!reached || busy !== null}
                  onClick={() =>
                    void attempt(id, () => api.put("/api/v1/me/organization", { organizationId: id }), "/")
                  }
                >
                  <span className="truncate">{busy === id ? `Opening ${name}…` : name}</span>
                </Button>
                {!reached && <span className="text-muted text-xs">Not reached from here either</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Button
        variant="ghost"
        disabled={busy !== null}
        onClick={() =>
          void attempt(
            "out",
            async () => (await import("next-auth/react")).signOut({ redirect: false }),
            "/sign-in",
          )
        }
      >
        {busy === "out" ? "Signing out…" : "Sign out"}
      </Button>
    </div>
  );
}
