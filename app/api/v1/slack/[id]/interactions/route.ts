import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { receiveInteraction } from "@/lib/web/slack/interactions.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "Where Slack sends members' presses, signed with the app's signing secret; `id` is the organization's",
      params: idParams,
      status: 200,
    },
    ({ request, params }) => receiveInteraction(request, params.id),
  ),
});
