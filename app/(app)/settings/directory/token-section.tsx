"use client";

import { KeyRound } from "lucide-react";
import { useState } from "react";
import { SecretOnce } from "@/components/people/secret-once.tsx";
import { TimeAgo, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Empty } from "@/components/ui/empty.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import type { Directory } from "@/lib/directory/schema.ts";
import { Section } from "../section.tsx";

const DIALOGS = {
  make: lazyComponent(() => import("./token-dialogs.tsx").then((file) => file.MakeDialog), { warm: true }),
  rotate: lazyComponent(() => import("./token-dialogs.tsx").then((file) => file.RotateDialog)),
  revoke: lazyComponent(() => import("./token-dialogs.tsx").then((file) => file.RevokeDialog)),
};

/** The address and the token that an identity provider is given. */
export function TokenSection({ directory: { url, token } }: { directory: Directory }) {
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const Asked = asking && DIALOGS[asking];
  return (
    <Section
      title="Connection"
      description="Your identity provider brings people and groups by SCIM 2.0, and ends their access here at once when it deactivates them."
    >
      <SecretOnce label="Base URL" value={url} quiet />
      {token ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <span className="flex min-w-0 flex-1 flex-col gap-1 max-md:basis-full">
            <span className="font-medium">Token</span>
            <span className="text-[13px] text-muted">
              Made <TimeAgo at={token.madeAt} />
              {token.rotatedAt && (
                <>
                  {" · "}new secret <TimeAgo at={token.rotatedAt} />
                </>
              )}
              {token.madeBy
                ? ` · by ${token.madeBy.name}`
                : " · by somebody who is no member any more: rotate it"}
            </span>
            {token.previousUntil && (
              <span className="text-[13px] text-muted">
                The secret of before still works, and ends{" "}
                <TimeUntil at={token.previousUntil} over="any moment" />.
              </span>
            )}
          </span>
          <span className="flex gap-2 max-md:w-full max-md:*:flex-1">
            <Button onClick={() => setAsking("rotate")}>Rotate…</Button>
            <Button variant="danger" onClick={() => setAsking("revoke")}>
              Revoke…
            </Button>
          </span>
        </div>
      ) : (
        <Empty
          icon={KeyRound}
          title="No token yet"
          action={
            <Button variant="primary" onClick={() => setAsking("make")}>
              Make a token…
            </Button>
          }
        >
          The provider signs in with it. There is one for the whole organization.
        </Empty>
      )}
      {Asked && <Asked onClose={() => setAsking(null)} />}
    </Section>
  );
}
