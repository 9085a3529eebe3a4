/** Ends an approval for a while, and stops the calls that it let pass and that were not sent yet. */
import { may } from "../access/permissions.ts";
import type { Principal } from "../access/principal.ts";
import { storable, type Tx } from "../base/db/db.ts";
import { AppError, notFound } from "../base/errors.ts";
import { appendEvents } from "../history/events/event-writes.ts";
import { memberOnly } from "../requests/lock-request.ts";
import { visibleTask } from "../tasks/visibility.ts";
import { cancelUnsent } from "./task-writes.ts";

/** By who gave it, or an admin, in person. Idempotent. Throws `not_found`, and `forbidden` for anybody else. */
export async function revokeStandingApproval(tx: Tx, principal: Principal, id: string): Promise<void> {
  const { actor, role } = principal;
  const userId = memberOnly(principal);
  // A call that uses it at the same time waits here, or is among the tasks below.
  const [standing] = await tx.$queryRaw<
    { userId: string; agentId: string; taskId: string; inputRequestId: string; isRevoked: boolean }[]
  >`
    SELECT s.user_id AS "userId", s.agent_id AS "agentId", s.task_id AS "taskId", s.input_request_id AS "inputRequestId",
      s.revoked_at IS NOT NULL AS "isRevoked"
    FROM standing_approval s JOIN task t ON t.organization_id = s.organization_id AND t.id = s.task_id
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${id}::uuid AND ${visibleTask(principal)}
    FOR NO KEY UPDATE OF s`;
  if (!standing) throw notFound("standing approval");
  if (standing.userId !== userId && !may(role, "agents:manage"))
    throw new AppError("forbidden", "Only the person who gave this approval, or an admin, can revoke it.");
  if (standing.isRevoked) return;
  await tx.$executeRaw`UPDATE standing_approval SET revoked_at = now(), revoked_by = ${JSON.stringify(storable(actor))}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${id}::uuid AND revoked_at IS NULL`;
  const passed = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM task
    WHERE organization_id = ${tx.organizationId}::uuid AND agent_id = ${standing.agentId}::uuid AND standing_approval_id = ${id}::uuid
      AND state = 'queued' ORDER BY id`;
  for (const task of passed) await cancelUnsent(tx, task.id, actor, { standingApprovalId: id });
  const { taskId, inputRequestId } = standing;
  const data = { standingApprovalId: id, stopped: passed.length };
  await appendEvents(tx, [{ type: "standing_approval.revoked", actor, taskId, inputRequestId, data }]);
}
