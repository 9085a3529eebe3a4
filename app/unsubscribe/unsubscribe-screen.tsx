"use client";

import { useState } from "react";
import { useLinkToken } from "@/components/link/use-link-token.ts";
import { FrontPage, LinkOver } from "@/components/shell/pages/front-page.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";

/** Turns the daily digest off without a sign-in, at a press. */
export function UnsubscribeScreen() {
  const { token, forget } = useLinkToken("unsubscribe");
  const [state, setState] = useState<"asks" | "sending" | "off" | "wrong" | "failed">("asks");
  const turnOff = async (token: string) => {
    setState("sending");
    // As mail programs do (RFC 8058).
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    const address = `/api/unsubscribe/${encodeURIComponent(token)}`;
    const response = await fetch(address, { method: "POST", body }).catch(() => null);
    if (response?.ok) forget();
    setState(response?.ok ? "off" : response?.status === 404 ? "wrong" : "failed");
  };
  if (token === null || state === "wrong")
    return (
      <LinkOver
        title="This link does not work"
        next="Open it again from the mail, or turn the digest off under Settings, Channels."
      />
    );
  if (state === "off")
    return (
      <FrontPage
        title="This daily digest is off"
        intro="You can turn it on again under Settings, Channels. Other mail from Intray is chosen there too."
      >
        {null}
      </FrontPage>
    );
  return (
    <FrontPage
      title="Turn off this daily digest?"
      intro="You will get no more of these lists. Other mail stays as it is."
    >
      {state === "failed" && (
        <Notice live tone="bad" title="The digest was not turned off">
          Intray could not be reached, or is busy. Try again in a minute.
        </Notice>
      )}
      <Button
        variant="primary"
        disabled={!token || state === "sending"}
        onClick={() => token && void turnOff(token)}
      >
        {state === "sending" ? "Turning off…" : "Turn off the digest"}
      </Button>
    </FrontPage>
  );
}
