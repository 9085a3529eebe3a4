"use client";

import { useState } from "react";
import { leadAll } from "@/components/shell/session/other-tabs.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ApiError, api, errorSentence } from "@/lib/api-client/base/client.ts";

/** Accepts the invitation, for a user signed in with the invited address. */
export function AcceptForm({
  token,
  organization,
  email,
  onJoined,
}: {
  token: string;
  organization: string;
  email: string;
  onJoined: () => void;
}) {
  const [failure, setFailure] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const accept = async () => {
    setPending(true);
    setFailure(null);
    try {
      await api.post("/api/join", { token });
      onJoined();
      leadAll("/");
    } catch (error) {
      setFailure(error instanceof ApiError ? error.sentence : errorSentence(error));
      setPending(false);
    }
  };
  return (
    <div className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <p className="text-muted">You are signed in as {email}.</p>
      <Button variant="primary" disabled={pending} onClick={() => void accept()}>
        {pending ? "Joining…" : `Join ${organization}`}
      </Button>
    </div>
  );
}
