"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { NewInvitation } from "@/lib/people/invitations/invitation-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { organizationKeys } from "@/lib/web/client/organization.ts";

/**
 * Says where the link of a new or renewed invitation went: by mail to the person, or here, to be passed on. A mailed
 * link is never shown; another one can be, which ends it.
 */
export function InvitationMade({ made, onDone }: { made: NewInvitation; onDone: () => void }) {
  const client = useQueryClient();
  const [shown, setShown] = useState<NewInvitation | null>(null);
  const show = useMutation({
    mutationFn: () =>
      api.patch<NewInvitation>(`/api/v1/invitations/${made.id}`, { renew: true, showLink: true }),
    onSuccess: setShown,
    onSettled: () => client.invalidateQueries({ queryKey: organizationKeys.invitations }),
  });
  const { url, email, mailFailed } = shown ?? made;
  if (url === undefined)
    return (
      <>
        {show.error && <Notice live tone="bad" title={errorSentence(show.error)} />}
        <p>The link was mailed to {email}. It is not shown here, since opening it confirms the address.</p>
        <DialogActions>
          <Button disabled={show.isPending} onClick={() => show.mutate()}>
            Show a link instead
          </Button>
          <Button variant="primary" onClick={onDone}>
            Done
          </Button>
        </DialogActions>
      </>
    );
  return (
    <>
      {mailFailed && (
        <Notice tone="wait" title="The mail could not be sent">
          <p>Here is another link: send it yourself, or make a new one later.</p>
        </Notice>
      )}
      <LinkOnce url={url} email={email} onDone={onDone} />
    </>
  );
}

/** A new link and the person it is for. */
function LinkOnce({ url, email, onDone }: { url: string; email: string; onDone: () => void }) {
  const { organization } = useMe();
  return (
    <NewSecret label={`Link for ${email}`} value={url} onClose={onDone}>
      <p className="text-[13px] text-muted">
        It is shown only once. The person who opens it signs in as {email}, or makes that account. Until they
        confirm their e-mail, a new account works only in {organization.name}.
      </p>
    </NewSecret>
  );
}
