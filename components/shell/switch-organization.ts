import { api, errorSentence } from "@/components/api/client.ts";
import { leadAll } from "@/components/shell/other-tabs.ts";
import { toast } from "@/components/ui/toast.ts";

/** Works in another organization from now on, in all tabs of this browser. */
export async function switchOrganization(organizationId: string): Promise<void> {
  try {
    await api.put("/api/v1/me/organization", { organizationId });
  } catch (error) {
    toast.error(errorSentence(error));
    return;
  }
  leadAll("/");
}
