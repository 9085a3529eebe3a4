import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { receiveActivity } from "@/lib/web/teams/activities.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "Where Teams sends what members press and write, with a token of Microsoft's; `id` is the organization's",
      params: idParams,
      status: 200,
    },
    ({ request, params }) => receiveActivity(request, params.id),
  ),
});
