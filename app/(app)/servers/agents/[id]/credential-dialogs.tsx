"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ConfirmChange } from "@/components/form/confirm-change.tsx";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { NewSecret } from "@/components/people/secret-once.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { type Agent, type NewAgent, rotateAgentSchema } from "@/lib/agents/agent-schema.ts";
import { agentKeys } from "@/lib/web/client/agents.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { EndField, readEnd } from "../../../settings/api-keys/key-fields.tsx";
import { SetUp } from "../set-up.tsx";

/** Asks when the new secret ends, then shows it once, in texts to set programs up with. */
export function RotateDialog({ agent, url, onClose }: { agent: Agent; url: string; onClose: () => void }) {
  const [made, setMade] = useState<NewAgent | null>(null);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={made ? `${agent.name} has a new secret` : `New secret for ${agent.name}`}
      description={
        made
          ? "Copy the secret or a set-up now: the secret is shown only once."
          : "The current secret stops working at once. The agent’s tools, tasks and history stay."
      }
    >
      {made ? (
        <NewSecret label="Secret" value={made.secret} quiet onClose={onClose}>
          <SetUp agentId={made.id} url={url} secret={made.secret} />
        </NewSecret>
      ) : (
        <RotateForm agent={agent} onMade={setMade} onClose={onClose} />
      )}
    </Dialog>
  );
}

function RotateForm({
  agent,
  onMade,
  onClose,
}: {
  agent: Agent;
  onMade: (made: NewAgent) => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const form = useForm({
    schema: rotateAgentSchema,
    read: (data) => ({ expires: readEnd(data) }),
    send: async (values) => {
      onMade(await api.post<NewAgent>(`/api/v1/agent-credentials/${agent.id}/rotate`, values));
      await client.invalidateQueries({ queryKey: agentKeys.list });
      await client.invalidateQueries({ queryKey: agentKeys.agent(agent.id) });
    },
  });
  return (
    <DialogForm form={form} onClose={onClose} send="Make a new secret" sending="Making the secret…">
      <EndField errors={form.errors} />
    </DialogForm>
  );
}

/** Confirms the end of an agent. */
export function RevokeDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const router = useRouter();
  return (
    <ConfirmChange
      keys={[agentKeys.list]}
      call={() => api.delete(`/api/v1/agent-credentials/${agent.id}`)}
      done={`${agent.name} was revoked`}
      onDone={() => router.push("/servers/agents")}
      onClose={onClose}
      title={`Revoke ${agent.name}?`}
      description="Intray refuses the agent at once, and ends its open calls. The agent’s tasks continue. A revoked agent cannot be restored."
      confirm="Revoke"
      destructive
    />
  );
}
