"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pause, Play } from "lucide-react";
import { useState } from "react";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { PausedNotice } from "@/components/server/server-notices.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { pauseServerSchema, type Server } from "@/lib/servers/server-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { serverKeys } from "@/lib/web/client/servers.ts";

/** Pauses calls to a server. */
export function PauseButton({ server }: { server: Server }) {
  const me = useMe();
  const [open, setOpen] = useState(false);
  if (server.pause || !me.may("servers:pause")) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Pause aria-hidden strokeWidth={1.75} />
        Pause…
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={`Pause ${server.name}?`}
        description="Intray sends it no checks, starts, answers or cancels. They are kept, and sent when the pause ends. Open calls finish first. The tasks’ own time limits continue."
      >
        <PauseForm server={server} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function PauseForm({ server, onDone }: { server: Server; onDone: () => void }) {
  const client = useQueryClient();
  const form = useForm({
    schema: pauseServerSchema,
    read: (data) => ({ reason: data.get("reason") }),
    send: async (values) => {
      await api.post(`/api/v1/servers/${server.id}/pause`, values);
      await client.invalidateQueries({ queryKey: serverKeys.all });
      toast(`${server.name} is paused`);
      onDone();
    },
  });
  return (
    <DialogForm
      form={form}
      onClose={onDone}
      send="Pause the server"
      sending="Pausing…"
      unchanged="It is not paused."
    >
      <TextField
        name="reason"
        label="Reason"
        required={false}
        description="Everybody who sees the pause can read it."
        autoComplete="off"
        maxLength={500}
        error={form.errors.reason}
      />
    </DialogForm>
  );
}

/** On the server's own page: the effects of its pause, and the button that ends the pause. */
export function ServerPaused({ server }: { server: Server }) {
  const me = useMe();
  const client = useQueryClient();
  const resume = useMutation({
    mutationFn: () => api.post<Server>(`/api/v1/servers/${server.id}/resume`),
    onSuccess: () => toast(`${server.name} was resumed`),
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => client.invalidateQueries({ queryKey: serverKeys.all }),
  });
  return (
    <PausedNotice
      server={server}
      action={
        me.may("servers:pause") && (
          <Button size="sm" variant="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
            <Play aria-hidden strokeWidth={1.75} />
            {resume.isPending ? "Resuming…" : "Resume"}
          </Button>
        )
      }
    >
      <p>
        Starts, answers and cancels are kept, and sent when the pause ends. The tasks’ own time limits
        continue.
      </p>
    </PausedNotice>
  );
}
