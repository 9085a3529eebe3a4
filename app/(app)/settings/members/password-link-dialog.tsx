"use client";

import { useMutation } from "@tanstack/react-query";
import { SecretOnce } from "@/components/people/secret-once.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import type { Member, MemberPasswordLink } from "@/lib/members/schema.ts";

/** Makes a link with which a member who forgot the password sets a new one. Says before what it does to the account. */
export function PasswordLinkDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const make = useMutation({
    mutationFn: () => api.post<MemberPasswordLink>(`/api/v1/members/${member.id}/password-link`),
  });
  const { name, email } = member;
  if (make.data)
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title="The link is ready"
        description={`Send it to ${name} yourself.`}
      >
        <SecretOnce label={`Link for ${email}`} value={make.data.url} />
        <p className="text-[13px] text-muted">It is shown this once, and works once, within a day.</p>
        <DialogActions>
          <Button onClick={onClose}>Done</Button>
        </DialogActions>
      </Dialog>
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Make a password link for ${name}?`}
      description={`Whoever opens the link sets a new password for ${email}. “Forgot your password?” on the page to sign in mails them one, without you.`}
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>{name} is told that you made it. It is recorded in Activity.</li>
        <li>Their sessions end once it is used. Two-step sign-in stays on.</li>
        <li>
          From then on the account counts as one that has not proved its address. Where a second person is
          required, {name} and you count as one until an owner vouches.
        </li>
      </ul>
      {make.error && (
        <Notice live tone="bad" title={errorSentence(make.error)}>
          <p>No link was made.</p>
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button variant="primary" disabled={make.isPending} onClick={() => make.mutate()}>
          Make a link
        </Button>
      </DialogActions>
    </Dialog>
  );
}
