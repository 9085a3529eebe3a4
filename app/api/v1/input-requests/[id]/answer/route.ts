import { recordDecision } from "@/lib/requests/answers/answer-writes.ts";
import { refuseUnfitChange } from "@/lib/requests/answers/changed-call.ts";
import { answerInputSchema } from "@/lib/requests/request-input-schema.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";
import { STEP_UP_MS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "requests:answer",
      inKeyScope: true,
      summary:
        "Decide. The answer counts at once, and the engine delivers it. If others have to agree (`approval`), it is a vote",
      params: idParams,
      body: answerInputSchema,
      output: inputRequestDetailSchema,
      status: 202,
      errors: [
        "four_eyes",
        "not_an_approver",
        "already_voted",
        "content_differs",
        "approval_differs",
        "denied_by_rule",
        "invalid_arguments",
        "step_up_required",
        "already_answered",
        "question_changed",
        "claimed_by_other",
        "no_longer_open",
        "invalid_content",
        "reason_required",
        "unsupported_form",
      ],
    },
    async ({ caller, params, body }) => {
      // Apart from the answer's transaction, which must not be held while a slow schema is checked.
      await refuseUnfitChange(caller.principal, params.id, body, (work) => within(caller, work));
      return within(caller, async (tx, principal) => {
        const read = () => readInputRequest(tx, principal, params.id);
        const proof = { sessionId: caller.sessionId, withinMs: STEP_UP_MS };
        return (await recordDecision(tx, principal, params.id, body, read, proof)).shown;
      });
    },
  ),
});
