"use client";

import { signOut } from "next-auth/react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";

/** Somebody else's link: whose it is, as far as its owner would know it, and the way to the right account. */
export function OtherAccount({ masked, email }: { masked: string; email: string }) {
  const [pending, setPending] = useState(false);
  const change = async () => {
    setPending(true);
    await signOut({ redirect: false }).catch(() => undefined); // the page shows then who is still signed in
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
