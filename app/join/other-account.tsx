"use client";

import { signOut } from "next-auth/react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";

/** Shown when the link belongs to another account: names the masked address and offers a sign-out. */
export function OtherAccount({ masked, email }: { masked: string; email: string }) {
  const [pending, setPending] = useState(false);
  const change = async () => {
    setPending(true);
    await signOut({ redirect: false }).catch(() => undefined); // a failure shows after the reload
    window.location.reload();
  };
  return (
    <Notice
      tone="wait"
      title={`This invitation is for ${masked}`}
      action={
        <Button disabled={pending} onClick={() => void change()}>
          Sign out and go on
        </Button>
      }
    >
      <p>You are signed in as {email}. Nothing was changed.</p>
    </Notice>
  );
}
