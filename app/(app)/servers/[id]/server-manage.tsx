"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useForm } from "@/components/form/use-form.ts";
import { readServerAuth, ServerAuth, ServerBasics } from "@/components/server/server-fields.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { ConfirmDialog } from "@/components/ui/overlay/confirm-dialog.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { ApiError, api, errorSentence } from "@/lib/api-client/base/client.ts";
import { serverKeys } from "@/lib/api-client/server-keys.ts";
import { type Server, updateServerSchema } from "@/lib/servers/schema.ts";

/** An admin's changes to a server. */
export function ServerManage({ server }: { server: Server }) {
  const me = useMe();
  const router = useRouter();
  const client = useQueryClient();
  const [open, setOpen] = useState<"edit" | "remove" | null>(null);
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
    <>
      <Button onClick={() => setOpen("edit")}>Edit…</Button>
      <Button variant="danger" onClick={() => setOpen("remove")}>
        Remove…
      </Button>
      <Dialog open={open === "edit"} onOpenChange={() => setOpen(null)} title={`Edit ${server.name}`}>
        <EditForm server={server} onDone={() => setOpen(null)} />
      </Dialog>
      <ConfirmDialog
        open={open === "remove"}
        onOpenChange={() => {
          setOpen(null);
          remove.reset();
        }}
        title={`Remove ${server.name}?`}
        description="Its credentials are deleted. A server with tasks that still run cannot be removed."
        confirm="Remove the server"
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
    </>
  );
}

function removeFailure(error: Error): string {
  const inUse = error instanceof ApiError && error.code === "server_in_use";
  return inUse
    ? "Tasks on this server are still kept here. Cancel them or let them end first."
    : errorSentence(error);
}

function EditForm({ server, onDone }: { server: Server; onDone: () => void }) {
  const client = useQueryClient();
  const { form, errors, failure, pending, onSubmit } = useForm({
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
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <ServerBasics name={server.name} era={server.eraSetting} errors={errors} />
      <ServerAuth keep errors={errors} />
      <DialogActions>
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="primary" disabled={pending}>
          {pending ? "Saving…" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}
