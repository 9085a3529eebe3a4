/** Half-filled answers, which are never sent. */
import type { Principal } from "../access/principal.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { storable, storableText, type Tx } from "../base/db/db.ts";
import { knownContent } from "./answers/answer-content.ts";
import { CLAIM_IS_LIVE } from "./claims/claim-checks.ts";
import { lockRequest, memberOnly, refuseUnlessOpen } from "./lock-request.ts";
import type { DraftInput } from "./request-input-schema.ts";

/**
 * Saves a half-filled form and its comment, or deletes the draft if both are empty.
 * Returns when the draft was saved.
 */
export async function saveDraft(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  { content, comment = "", questionHash }: DraftInput,
): Promise<Date | null> {
  const userId = memberOnly(principal);
  const request = await lockRequest(tx, principal, inputRequestId);
  await refuseUnlessOpen(tx, request);
  // A live claim alone: one that has lapsed keeps nobody out any more, and its person may have no vote by now.
  await tx.$executeRaw`UPDATE claim c SET active_at = now() WHERE organization_id = ${tx.organizationId}::uuid
    AND input_request_id = ${inputRequestId}::uuid AND user_id = ${userId}::uuid
    AND ${CLAIM_IS_LIVE}`;
  const keys = contentOf(tx);
  const isCurrent = questionHash === undefined || keys.isSameHash(questionHash, request.questionHash);
  const kept = knownContent(request, content, isCurrent ? "all" : "typed");
  if (Object.keys(kept).length === 0 && comment === "") {
    await tx.draft.deleteMany({
      where: { organizationId: tx.organizationId, inputRequestId, userId },
    });
    return null;
  }
  const stored = JSON.stringify(keys.json("draft.content", inputRequestId, storable(kept)));
  const said = keys.text("draft.comment", inputRequestId, comment === "" ? null : storableText(comment));
  const saved = await tx.$queryRaw<{ at: Date }[]>`
    INSERT INTO draft (organization_id, input_request_id, user_id, content, comment)
    VALUES (${tx.organizationId}::uuid, ${inputRequestId}::uuid, ${userId}::uuid, ${stored}::jsonb, ${said})
    ON CONFLICT (organization_id, input_request_id, user_id)
    DO UPDATE SET content = excluded.content, comment = excluded.comment, updated_at = now()
    RETURNING updated_at AS at`;
  return saved[0]?.at ?? null;
}
