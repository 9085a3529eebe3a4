"use client";

import { UserPlus } from "lucide-react";
import { useState } from "react";
import { InviteDialog } from "@/components/people/invite-dialog.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Invitations } from "./invitations.tsx";
import { Members } from "./members.tsx";
import { SuspendedMembers } from "./suspended-members.tsx";

/** The members and the invitations. */
export function MembersScreen() {
  const me = useMe();
  const [inviting, setInviting] = useState(false);
  if (!me.may("members:manage")) return <Notice title="Only admins manage members.">Ask one of them.</Notice>;
  const invite = (
    <Button variant="primary" onClick={() => setInviting(true)}>
      <UserPlus aria-hidden strokeWidth={1.75} />
      Invite…
    </Button>
  );
  return (
    <>
      <Members invite={invite} />
      <SuspendedMembers />
      <Invitations />
      <InviteDialog open={inviting} onOpenChange={setInviting} />
    </>
  );
}
