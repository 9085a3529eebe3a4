"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { people } from "@/lib/api-client/answers.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { requestDetail, requestKeys } from "@/lib/api-client/requests.ts";
import { taskKeys } from "@/lib/api-client/tasks/task-keys.ts";
import { requestName } from "@/lib/format/requests/requests.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import type { Answerer } from "@/lib/members/schema.ts";

/** Assigns a request to a person or to nobody. For operators. */
export function useAssign(request: InputRequestDetail) {
  const me = useMe();
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: async (who: Answerer | "me" | null) => {
      const person = who === "me" ? await myself(me.user) : who;
      const body = { memberId: person?.id ?? null };
      return api.post<InputRequestDetail>(`/api/v1/input-requests/${request.id}/assign`, body);
    },
    onSuccess: (now) => {
      client.setQueryData(requestDetail(request.id).queryKey, now);
      const name = requestName(request);
      toast(now.assignedTo ? `${name} is ${whose(now, me.user.id)} now` : `${name} is open to everyone`);
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: requestKeys.lists });
      void client.invalidateQueries({ queryKey: taskKeys.task(request.taskId) });
    },
  });
  const myself = async (user: { id: string; name: string }): Promise<Answerer | undefined> => {
    const { items } = await client.fetchQuery(people(user.name));
    return items.find((person) => person.userId === user.id);
  };
  return { to: (person: Answerer | null) => mutation.mutate(person), toMe: () => mutation.mutate("me") };
}

function whose({ assignedTo }: InputRequestDetail, me: string): string {
  return assignedTo?.id === me ? "yours" : `${assignedTo?.name}’s`;
}
