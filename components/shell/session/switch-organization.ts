import { leadAll } from "@/components/shell/session/other-tabs.ts";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";

/** Switches to another organization, in all tabs of this browser. */
export async function switchOrganization(organizationId: string): Promise<void> {
  try {
    await api.put("/api/v1/me/organization", { organizationId });
  } catch (error) {
    toast.error(errorSentence(error));
    return;
  }
  leadAll("/");
}
