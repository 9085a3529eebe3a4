import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { ApiKey } from "@/lib/people/api-keys/api-key-schema.ts";
import type { Member } from "@/lib/people/members/member-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";

/** Members and API keys, by their ids in the history. */
export function actors() {
  return queryOptions({
    queryKey: ["actors"] as const,
    refetchInterval: false,
    queryFn: async ({ signal }) => {
      const [members, keys] = await Promise.all([
        api.get<Page<Member>>(`/api/v1/members${query({ limit: 200 })}`, signal),
        api.get<Page<ApiKey>>(`/api/v1/api-keys${query({ limit: 200 })}`, signal),
      ]);
      return {
        members: members.items.map(({ userId, name }) => ({ id: userId, name })),
        keys: keys.items.map(({ id, name }) => ({ id, name })),
      };
    },
  });
}
