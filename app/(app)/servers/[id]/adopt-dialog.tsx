"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { CandidateFacts } from "@/components/task/candidate-facts.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { ServerDetail } from "@/lib/servers/server-schema.ts";
import { adoptSchema, type FoundTask } from "@/lib/tasks/found-task-schema.ts";
import type { TaskDetail } from "@/lib/tasks/task-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { serverKeys, serverTools } from "@/lib/web/client/servers.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

/** Confirms that an untracked task becomes one of the organization's tasks. */
export function AdoptDialog({
  server,
  found,
  onClose,
}: {
  server: ServerDetail;
  found: FoundTask;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const router = useRouter();
  const tools = useQuery(serverTools(server.id));
  const form = useForm({
    schema: adoptSchema,
    read: (data) => ({ tool: data.get("tool") || undefined, label: data.get("label") || undefined }),
    send: async (values) => {
      const task = await api.post<TaskDetail>(
        `/api/v1/servers/${server.id}/found-tasks/${found.id}/adopt`,
        values,
      );
      void client.invalidateQueries({ queryKey: taskKeys.lists });
      void client.invalidateQueries({ queryKey: serverKeys.server(server.id) });
      toast("Adopted: its questions come here from now on");
      onClose();
      router.push(`/tasks/${task.id}`);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Adopt this task?"
      description="Its questions come to everybody’s inbox here, and answers go to the server. If another client still follows it, both may answer."
    >
      <div className="rounded-lg border border-line px-3.5 py-2.5">
        <CandidateFacts found={found} />
      </div>
      <DialogForm
        form={form}
        onClose={onClose}
        send="Adopt"
        sending="Adopting…"
        unchanged="Nothing was adopted."
      >
        <Field
          id="tool"
          label="Tool"
          hint="The server does not say what was called."
          error={form.errors.tool}
        >
          {(control) => (
            <Select {...control} name="tool" defaultValue="">
              <option value="">Not known</option>
              {tools.data?.items.map((tool) => (
                <option key={tool.name} value={tool.name}>
                  {tool.title ?? tool.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <TextField
          name="label"
          label="Name"
          required={false}
          description="For lists here, such as INV-100."
          autoComplete="off"
          maxLength={60}
          error={form.errors.label}
        />
      </DialogForm>
    </Dialog>
  );
}
