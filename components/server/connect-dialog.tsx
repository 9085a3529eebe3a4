"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { readServerAuth, ServerAuth, ServerBasics } from "@/components/server/server-fields.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { api } from "@/lib/api-client/base/client.ts";
import { onboardingKey } from "@/lib/api-client/onboarding.ts";
import { serverKeys } from "@/lib/api-client/server-keys.ts";
import { createServerSchema, type Server } from "@/lib/servers/schema.ts";

export function ConnectDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Connect server"
      description="An MCP server with Streamable HTTP. It is asked once who it is and what it can do."
    >
      <ConnectForm onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function ConnectForm({ onDone }: { onDone: () => void }) {
  const client = useQueryClient();
  const router = useRouter();
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: createServerSchema,
    read: (data) => ({
      name: data.get("name"),
      url: data.get("url"),
      era: data.get("era"),
      auth: readServerAuth(data),
    }),
    sentences: {
      address_not_allowed:
        "This address is not allowed: it leads into a private network. Who runs Intray can allow it in the configuration.",
    },
    send: async (values) => {
      const server = await api.post<Server>("/api/v1/servers", values);
      void client.invalidateQueries({ queryKey: onboardingKey });
      await client.invalidateQueries({ queryKey: serverKeys.all });
      if (server.authKind === "oauth" && server.health.state === "unauthorized")
        toast(`${server.name} is saved. Sign in at it to connect it.`);
      else if (server.health.state === "ok") toast.success(`${server.name} is connected`);
      else
        toast.error(
          `${server.name} is saved, but does not answer: ${server.health.message ?? server.health.state}`,
        );
      onDone();
      router.push(`/servers/${server.id}`);
    },
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && <Notice live tone="bad" title={failure} />}
      <TextField
        name="url"
        label="Address"
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://example.com/mcp"
        error={errors.url}
      />
      <ServerBasics errors={errors} />
      <ServerAuth errors={errors} />
      <DialogActions>
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="primary" disabled={pending}>
          {pending ? "Connecting…" : "Connect"}
        </Button>
      </DialogActions>
    </form>
  );
}
