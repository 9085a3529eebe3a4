"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { TurnOnDialog } from "@/app/(app)/settings/security/turn-on-dialog.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";

/** Sets an app of codes up, as Settings does, then leads to where the person was going. */
export function SetUpSecondFactor({
  callbackUrl,
  password,
  isOn,
}: {
  callbackUrl: string;
  password: boolean;
  /** The account has one already: this session was opened without it. */
  isOn: boolean;
}) {
  const [client] = useState(() => new QueryClient());
  const [open, setOpen] = useState(false);
  if (isOn)
    return <Notice title="Two-step sign-in is on. Sign out, then sign in with your password and a code." />;
  return (
    <QueryClientProvider client={client}>
      <Button variant="primary" onClick={() => setOpen(true)}>
        Turn on two-step sign-in
      </Button>
      <TurnOnDialog
        open={open}
        password={password}
        onOpenChange={(isOpen) => {
          setOpen(isOpen);
          // A full load: a person who has not finished is led back here.
          if (!isOpen) window.location.assign(callbackUrl);
        }}
      />
    </QueryClientProvider>
  );
}
