"use client";

import { useState } from "react";
import { useChange } from "@/components/form/change.ts";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { directoryApi, directoryKeys } from "@/lib/web/client/identity.ts";

const HOUR_MS = 3600_000;
const OVERLAPS = [
  { ms: 24 * HOUR_MS, label: "for a day" },
  { ms: HOUR_MS, label: "for an hour" },
  { ms: 0, label: "not at all: it ends now" },
];

interface Props {
  onClose: () => void;
}

/** Makes the first token, and shows it once. */
export function MakeDialog({ onClose }: Props) {
  const make = useChange([directoryKeys.all], directoryApi.makeToken);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={make.data ? "The token is ready" : "Make a token"}
      description={
        make.data
          ? "Copy it now: it is shown only once."
          : "Anybody who has it can add people to this organization, and remove them. Where a second person is required, people added by it count as one person with you until another owner vouches."
      }
    >
      {make.data ? (
        <NewSecret label="Token" value={make.data.secret} onClose={onClose} />
      ) : (
        <>
          {make.error && <Notice live tone="bad" title={errorSentence(make.error)} />}
          <DialogActions>
            <Button onClick={onClose}>Close</Button>
            <Button variant="primary" disabled={make.isPending} onClick={() => make.mutate({})}>
              {make.isPending ? "Making…" : "Make the token"}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

/** Gives the token a new secret; the one of before works on for a while, so that the provider can be changed. */
export function RotateDialog({ onClose }: Props) {
  const [overlapMs, setOverlapMs] = useState(OVERLAPS[0]?.ms ?? 0);
  const rotate = useChange([directoryKeys.all], directoryApi.makeToken);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={rotate.data ? "The new token is ready" : "Rotate the token"}
      description={
        rotate.data
          ? "Copy it now: it is shown only once. Then write it into your identity provider."
          : "The token gets a new secret, in your name."
      }
    >
      {rotate.data ? (
        <NewSecret label="Token" value={rotate.data.secret} onClose={onClose} />
      ) : (
        <>
          {rotate.error && <Notice live tone="bad" title={errorSentence(rotate.error)} />}
          <Field id="overlap" label="The current secret keeps working" required>
            {(control) => (
              <Select
                {...control}
                value={String(overlapMs)}
                onChange={(event) => setOverlapMs(Number(event.target.value))}
              >
                {OVERLAPS.map(({ ms, label }) => (
                  <option key={ms} value={String(ms)}>
                    {label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <DialogActions>
            <Button onClick={onClose}>Close</Button>
            <Button
              variant="primary"
              disabled={rotate.isPending}
              onClick={() => rotate.mutate({ overlapMs })}
            >
              {rotate.isPending ? "Rotating…" : "Rotate the token"}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

/** Confirms the end of the token. */
export function RevokeDialog({ onClose }: Props) {
  return (
    <ConfirmChange
      keys={[directoryKeys.all]}
      call={directoryApi.revokeToken}
      done="The token was revoked"
      onClose={onClose}
      title="Revoke the directory’s token?"
      description="The identity provider is refused at once: it adds nobody, and removes nobody. People and groups stay as they are."
      confirm="Revoke"
      destructive
    />
  );
}
