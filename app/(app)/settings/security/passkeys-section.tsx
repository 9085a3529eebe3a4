"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Passkey } from "@/lib/people/accounts/account-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { security } from "@/lib/web/client/identity.ts";
import { Section } from "../section.tsx";

const AddPasskeyDialog = lazyComponent(() =>
  import("./add-passkey-dialog.tsx").then((file) => file.AddPasskeyDialog),
);

/** Passkeys, which sign in without a password: phones, laptops, security keys. */
export function PasskeysSection({
  passkeys,
  password,
  onChanged,
}: {
  passkeys: Passkey[];
  password: boolean;
  /** Gets what changed, as a sentence. */
  onChanged: (what: string) => void;
}) {
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Passkey | null>(null);
  const remove = useMutation({
    mutationFn: ({ id }: Passkey) => api.delete(`/api/v1/me/passkeys/${id}`),
    onSuccess: async (_, { name }) => {
      setLeaving(null);
      toast(`Passkey “${name}” removed`);
      onChanged("A passkey was removed");
      await client.invalidateQueries({ queryKey: security().queryKey });
    },
    onError: (error) => toast.error(errorSentence(error)),
  });
  return (
    <Section
      title="Passkeys"
      description="Sign in with your fingerprint, your face or a security key, without a password or a code."
    >
      {passkeys.length > 0 && (
        <ul aria-label="Passkeys" className="flex flex-col divide-y divide-line">
          {passkeys.map((passkey) => (
            <li key={passkey.id} className="flex items-center gap-3 py-2 first:pt-0">
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{passkey.name}</span>
                <span className="block text-muted text-xs">
                  Added <TimeAgo at={passkey.createdAt} />
                  {" · "}
                  {passkey.lastUsedAt ? (
                    <>
                      last used <TimeAgo at={passkey.lastUsedAt} />
                    </>
                  ) : (
                    "not used yet"
                  )}
                </span>
              </span>
              <Button
                size="sm"
                variant="danger"
                aria-label={`Remove ${passkey.name}`}
                onClick={() => setLeaving(passkey)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button onClick={() => setAdding(true)}>Add a passkey…</Button>
      </div>
      {adding && (
        <AddPasskeyDialog
          open
          onOpenChange={setAdding}
          password={password}
          onAdded={() => onChanged("A passkey was added")}
        />
      )}
      <ConfirmDialog
        open={leaving !== null}
        onOpenChange={(open) => !open && setLeaving(null)}
        title={`Remove the passkey “${leaving?.name ?? ""}”?`}
        description="It no longer signs you in. Your device may keep it until you remove it there too."
        confirm="Remove"
        destructive
        pending={remove.isPending}
        onConfirm={() => leaving && remove.mutate(leaving)}
      />
    </Section>
  );
}
