/** A member lets an agent in, or does not. */
import type { Principal } from "../../access/principal.ts";
import type { Prisma, Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { hashSecret, randomSecret, uuidv7 } from "../../base/ids.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { signInAgent } from "../agent-writes.ts";
import { readAgentQuestion } from "./agent-oauth-reads.ts";
import type { AgentQuestion } from "./agent-oauth-schema.ts";
import { judgeRedirect } from "./agent-oauth-status.ts";

type Member = Principal & { userId: string };

/** How long an agent's sign-in may last, and a browser's, which a provider may end earlier. In ms. */
export interface SignInTimes {
  agentMs: number;
  browserMs: number;
}

/**
 * Lets an agent act as the member: makes its credential, or finds the one of before with its grants, opens a session of
 * the agent's own beside the browser's, and answers the question. Throws `no_longer_open`, and `unauthenticated` if the
 * browser's session ended meanwhile.
 */
export async function letAgentIn(
  tx: Tx,
  member: Member,
  sessionId: string,
  handle: string,
  { agentMs, browserMs }: SignInTimes,
): Promise<void> {
  const { userId, actor } = member;
  const question = await openQuestion(tx, handle, sessionId);
  const { client_id: clientId } = question.params;
  const name = question.client.name ?? question.client.publisher ?? "Agent without a name";
  const agent = await signInAgent(tx, member, { oauthClientId: clientId, name });
  const signInId = uuidv7();
  // Nobody knows the session's secret: it opens nothing.
  const [opened] = await tx.$queryRaw<{ id: string | null }[]>`
    SELECT gate.open_agent_session(${tx.organizationId}::uuid, ${sessionId}::uuid, ${agent.id}::uuid, ${signInId}::uuid,
      ${clientId}, ${JSON.stringify(question.client.metadata)}::jsonb,
      ${hashSecret(randomSecret())}, ${agentMs}::bigint, ${browserMs}::bigint) AS id`;
  if (!opened?.id) throw new AppError("unauthenticated", "Sign in again.");
  await answer(tx, handle, sessionId, { login: { accountId: userId }, consent: { grantId: signInId } });
  await appendEvents(tx, [
    { type: "agent.signed_in", actor, data: { agentId: agent.id, name, ...namesOf(question) } },
  ]);
}

/** Tells the client that the member does not let it in. Throws `no_longer_open`. */
export async function turnAgentAway(
  tx: Tx,
  { actor }: Member,
  sessionId: string,
  handle: string,
): Promise<void> {
  const question = await openQuestion(tx, handle, sessionId);
  await answer(tx, handle, sessionId, {
    error: "access_denied",
    error_description: "the member did not allow it",
  });
  const name = question.client.name ?? "An agent";
  await appendEvents(tx, [{ type: "agent.turned_away", actor, data: { name, ...namesOf(question) } }]);
}

async function openQuestion(tx: Tx, handle: string, sessionId: string): Promise<AgentQuestion> {
  const gate = <T>(query: Prisma.Sql) => tx.$queryRaw<T[]>(query);
  const question = await readAgentQuestion({ gate }, handle, sessionId);
  if (!question) throw over();
  return question;
}

/** Compared and set, so that of two answers at once one is refused with all that it did. */
async function answer(tx: Tx, handle: string, sessionId: string, result: object): Promise<void> {
  const [row] = await tx.$queryRaw<{ answered: boolean }[]>`
    SELECT gate.answer_agent_question(${hashSecret(handle)}, ${sessionId}::uuid, ${JSON.stringify(result)}::jsonb)
      AS answered`;
  if (!row?.answered) throw over();
}

const over = () =>
  new AppError(
    "no_longer_open",
    "This sign-in was answered, or is older than ten minutes. Begin it again in your agent.",
  );

/** What the history says of a client, beside its own name. */
function namesOf({ params, client }: AgentQuestion): Record<string, string | null> {
  const redirect = judgeRedirect(params.redirect_uri);
  return {
    clientId: params.client_id,
    publisher: client.publisher,
    redirect:
      redirect?.kind === "site"
        ? redirect.host
        : redirect?.kind === "app"
          ? `${redirect.scheme}:`
          : "computer",
  };
}
