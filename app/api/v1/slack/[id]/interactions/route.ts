import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { receiveInteraction } from "@/lib/web/slack/interactions.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "Where Slack sends what members press, signed with the app's signing secret; `id`: the organization's",
      params: idParams,
      status: 200,
    },
    ({ request, params }) => receiveInteraction(request, params.id),
  ),
});
