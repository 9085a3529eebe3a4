"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { SecretOnce } from "@/components/people/secret-once.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { createAgentSchema, type NewAgent } from "@/lib/agents/agent-schema.ts";
import { agentKeys } from "@/lib/web/client/agents.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { EndField, readEnd } from "../../settings/api-keys/key-fields.tsx";
import { GrantFields, HoldField, readHold, useGrants } from "./grant-fields.tsx";
import { SetUp } from "./set-up.tsx";

/** Asks for the agent's name and tools, then shows its secret once, in texts to set programs up with. */
export function CreateDialog({ url, onClose }: { url: string; onClose: () => void }) {
  const [made, setMade] = useState<NewAgent | null>(null);
  const hasTools = made !== null && made.grants.length > 0;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={made ? `${made.name} is ready${hasTools ? "" : " to ask people"}` : "Add an agent"}
      description={
        made
          ? "Copy the secret or a set-up now: the secret is shown only once."
          : "Name it after the program, and grant it the tools that it needs."
      }
    >
      {made ? (
        <>
          <SecretOnce label="Secret" value={made.secret} quiet />
          <SetUp agentId={made.id} url={url} secret={made.secret} />
          {!hasTools && (
            <Notice tone="accent" title="To let it call tools of your servers">
              <p>
                Copy the secret or a set-up, then press “Grant tools”. It can already ask people, and the hook
                of a coding agent needs no tools.
              </p>
            </Notice>
          )}
          <DialogActions>
            {!hasTools && (
              <Button asChild>
                <Link href={`/servers/agents/${made.id}`}>Grant tools</Link>
              </Button>
            )}
            <Button onClick={onClose}>Done</Button>
          </DialogActions>
        </>
      ) : (
        <CreateForm onMade={setMade} onClose={onClose} />
      )}
    </Dialog>
  );
}

function CreateForm({ onMade, onClose }: { onMade: (agent: NewAgent) => void; onClose: () => void }) {
  const client = useQueryClient();
  const grants = useGrants([]);
  const form = useForm({
    schema: createAgentSchema,
    read: (data) => ({
      name: data.get("name"),
      grants: grants.all,
      holdMs: readHold(data),
      expires: readEnd(data),
    }),
    send: async (values) => {
      onMade(await api.post<NewAgent>("/api/v1/agent-credentials", values));
      await client.invalidateQueries({ queryKey: agentKeys.list });
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Add agent" sending="Adding…">
      <TextField name="name" label="Name" autoComplete="off" maxLength={80} error={form.errors.name} />
      <GrantFields grants={grants} sendLabel="Add agent" errors={form.errors} />
      <HoldField holdMs={null} error={form.errors.holdMs} />
      <EndField errors={form.errors} />
    </DialogForm>
  );
}
