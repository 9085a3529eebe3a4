"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Answerer } from "@/lib/people/members/member-schema.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { ApiError, api, errorSentence } from "@/lib/web/client/base/client.ts";
import { people } from "@/lib/web/client/organization.ts";
import { requestDetail, requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

/** Gives a request to a person, with a note for them. Operators also take it from somebody: to nobody (null). */
export function useAssign(request: InputRequestDetail) {
  const me = useMe();
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: async ({ to, note }: { to: Answerer | "me" | null; note?: string }) => {
      const person = to === "me" ? await myself(me.user) : to;
      const body = { memberId: person?.id ?? null, ...(note && { note }) };
      const call = me.may("requests:assign") ? "assign" : "hand-over";
      await api.post(`/api/v1/input-requests/${request.id}/${call}`, body);
      return person;
    },
    onSuccess: (person) => {
      const name = requestName(request);
      if (!person) return toast(`${name} is open to everyone`);
      toast(person.userId === me.user.id ? `${name} is yours now` : `${name} handed over to ${person.name}`);
    },
    onError: (error) => toast.error(errorSentence(error)),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: requestDetail(request.id).queryKey });
      void client.invalidateQueries({ queryKey: requestKeys.lists });
      void client.invalidateQueries({ queryKey: taskKeys.task(request.taskId) });
    },
  });
  const myself = async (user: { id: string; name: string; email: string }): Promise<Answerer> => {
    const { items } = await client.fetchQuery(people(user.email));
    const me = items.find((person) => person.userId === user.id);
    // Nobody in place of oneself would open the request to everybody.
    if (!me)
      throw new ApiError(404, { detail: "You are not among those who may answer. Nothing was changed." });
    return me;
  };
  return {
    to: (person: Answerer | null, note?: string) =>
      mutation.mutate({ to: person, ...(note !== undefined && { note }) }),
    toMe: () => mutation.mutate({ to: "me" }),
  };
}
