"use client";

import { useQueryClient } from "@tanstack/react-query";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { type Agent, updateAgentSchema } from "@/lib/agents/agent-schema.ts";
import { toGrantInput } from "@/lib/agents/agent-words.ts";
import { agentKeys } from "@/lib/web/client/agents.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { GrantFields, HoldField, readHold, useGrants } from "../grant-fields.tsx";

/** Changes an agent's name, tools and hold time: from its next call on. */
export function EditDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const client = useQueryClient();
  const grants = useGrants(agent.grants.map(toGrantInput));
  const form = useForm({
    schema: updateAgentSchema,
    read: (data) => ({
      name: data.get("name"),
      grants: grants.all,
      holdMs: readHold(data),
    }),
    send: async (values) => {
      const changed = await api.patch<Agent>(`/api/v1/agent-credentials/${agent.id}`, values);
      client.setQueryData(agentKeys.agent(agent.id), changed);
      void client.invalidateQueries({ queryKey: agentKeys.list });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Edit ${agent.name}`}
      description="Changes apply from its next call."
    >
      <DialogForm form={form} onClose={onClose} send="Save" sending="Saving…">
        <TextField
          name="name"
          label="Name"
          autoComplete="off"
          maxLength={80}
          defaultValue={agent.name}
          error={form.errors.name}
        />
        <GrantFields grants={grants} sendLabel="Save" errors={form.errors} />
        <HoldField holdMs={agent.holdMs} error={form.errors.holdMs} />
      </DialogForm>
    </Dialog>
  );
}
