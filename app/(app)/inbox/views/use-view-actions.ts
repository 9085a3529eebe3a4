"use client";

import { toast } from "@/components/ui/toast/toast.ts";
import { useViewMutations } from "@/components/views/use-view-mutations.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { viewKeys } from "@/lib/api-client/views.ts";
import type { UpdateViewInput } from "@/lib/saved-views/schema.ts";
import { useInboxPlace } from "../toolbar/use-inbox-place.ts";
import type { Views } from "./use-views.ts";

/** What can be done with a view that is on, or with what is shown. */
export function useViewActions({ current, query, tab }: Views) {
  const place = useInboxPlace();
  const mutations = useViewMutations({
    page: "inbox",
    query,
    listKey: viewKeys.inbox,
    onCreated: (view) => place.replace({ view: view.id, tab }),
    onRemoved: (id) => {
      if (place.view === id) place.replace({ view: null });
    },
  });
  const change = (input: UpdateViewInput) => {
    if (!current) return;
    // By its promise: the menu in which it was pressed is gone by then, and so is any other place to say it in.
    mutations.update
      .mutateAsync({ id: current.id, ...input })
      .catch((error: unknown) => void toast.error(errorSentence(error)));
  };
  return {
    ...mutations,
    saveChanges: () => change({ query }),
    share: (shared: boolean) => change({ shared }),
  };
}
