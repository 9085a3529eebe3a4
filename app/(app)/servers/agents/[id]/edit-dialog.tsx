"use client";

import { useQueryClient } from "@tanstack/react-query";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { type Agent, updateAgentSchema } from "@/lib/agents/agent-schema.ts";
import { toGrantInput } from "@/lib/agents/agent-words.ts";
import { agentKeys } from "@/lib/web/client/agents.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { GrantFields, HoldField, readHold, useGrants } from "../grant-fields.tsx";

/** Changes an agent's name, tools and hold time: from its next call on. */
export function EditDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const client = useQueryClient();
  const grants = useGrants(agent.grants.map(toGrantInput));
  const { form, errors, failure, pending, onSubmit } = useForm({
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
      <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        {failure && <Notice live tone="bad" title={failure} />}
        <TextField
          name="name"
          label="Name"
          autoComplete="off"
          maxLength={80}
          defaultValue={agent.name}
          error={errors.name}
        />
        <GrantFields grants={grants} sendLabel="Save" errors={errors} />
        <HoldField holdMs={agent.holdMs} error={errors.holdMs} />
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" variant="primary" disabled={pending}>
            {pending ? "Saving…" : "Save"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
