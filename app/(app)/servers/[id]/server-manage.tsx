"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { useForm } from "@/components/form/use-form.ts";
import {
  Advanced,
  type AuthKind,
  AuthKindField,
  EraField,
  isAdvancedRefused,
  NameField,
  OAuthFields,
  readServerAuth,
  TokenField,
} from "@/components/server/server-fields.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { type Server, updateServerSchema } from "@/lib/servers/server-schema.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { serverKeys } from "@/lib/web/client/servers.ts";

/** Edits the server: its name, credentials and protocol. For admins. */
export function EditServer({ server }: { server: Server }) {
  const me = useMe();
  const [open, setOpen] = useState(false);
  if (!me.may("servers:manage")) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Edit…</Button>
      <Dialog open={open} onOpenChange={setOpen} title={`Edit ${server.name}`}>
        <EditForm server={server} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** Removes the server. At the page's end, away from what is pressed often. For admins. */
export function RemoveServer({ server }: { server: Server }) {
  const me = useMe();
  const router = useRouter();
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: () => api.delete(`/api/v1/servers/${server.id}`),
    onSuccess: () => {
      toast(`${server.name} was removed`);
      client.removeQueries({ queryKey: serverKeys.server(server.id) });
      void client.invalidateQueries({ queryKey: serverKeys.list });
      router.push("/servers");
    },
  });
  if (!me.may("servers:manage")) return null;
  return (
    <section aria-labelledby="remove-heading" className="flex flex-col gap-2.5">
      <h2 id="remove-heading" className="font-medium text-[13px] text-muted">
        Remove
      </h2>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-line bg-panel px-4 py-3">
        <p className="min-w-60 flex-1 text-muted">
          Deletes its credentials. Its past tasks stay. Not possible while tasks run on it.
        </p>
        <Button variant="danger" onClick={() => setOpen(true)}>
          Remove server…
        </Button>
      </div>
      <ConfirmDialog
        open={open}
        onOpenChange={() => {
          setOpen(false);
          remove.reset();
        }}
        title={`Remove ${server.name}?`}
        description="Its credentials are deleted. A server with tasks that still run cannot be removed."
        confirm="Remove server"
        destructive
        pending={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        {remove.error && (
          <Notice live tone="bad" title={removeFailure(remove.error)}>
            <p>Nothing was removed.</p>
          </Notice>
        )}
      </ConfirmDialog>
    </section>
  );
}

function removeFailure(error: Error): string {
  const inUse = error instanceof ApiError && error.code === "server_in_use";
  return inUse ? "Tasks still run on this server. Cancel them or let them end first." : errorSentence(error);
}

function EditForm({ server, onDone }: { server: Server; onDone: () => void }) {
  const client = useQueryClient();
  const [kind, setKind] = useState<AuthKind>("keep");
  const form = useForm({
    schema: updateServerSchema,
    read: (data) => {
      const auth = readServerAuth(data);
      return { name: data.get("name"), era: data.get("era"), ...(auth ? { auth } : {}) };
    },
    send: async (values) => {
      await api.patch(`/api/v1/servers/${server.id}`, values);
      await client.invalidateQueries({ queryKey: serverKeys.all });
      toast(`${values.name ?? server.name} was saved`);
      onDone();
    },
  });
  return (
    <DialogForm form={form} onClose={onDone} send="Save" sending="Saving…">
      <NameField name={server.name} errors={form.errors} />
      <AuthKindField keep kind={kind} onChange={setKind} />
      {kind === "bearer" && <TokenField errors={form.errors} />}
      <Advanced refused={isAdvancedRefused(form.errors)}>
        <EraField era={server.eraSetting} errors={form.errors} />
        {kind === "oauth" && <OAuthFields errors={form.errors} />}
      </Advanced>
    </DialogForm>
  );
}
