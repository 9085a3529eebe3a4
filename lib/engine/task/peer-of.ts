/** The peer that a task is started, polled and answered by: its server's, or of a recipe over tools of that server. */

import type { RequestWork, TaskWork } from "../../lifecycle/engine-task.ts";
import type { Era, Peer } from "../../mcp/peer.ts";
import type { AnswerCall } from "../../requests/deliveries/judge-delivery.ts";
import { RecipePeer } from "../../servers/recipes/peer.ts";
import type { WatcherContext } from "../watcher/context.ts";

/** The server's era has to be known. The first call about a recipe reads it; the steps around a start do so before the attempt. */
export async function peerOf(ctx: WatcherContext, { work }: { work: TaskWork }): Promise<Peer> {
  return (await recipePeerOf(ctx, work)) ?? ctx.peer(work.era!);
}

/** Null: the task's tool is the server's own. */
async function recipePeerOf(ctx: WatcherContext, work: TaskWork): Promise<RecipePeer | null> {
  if (work.recipeVersion === null) return null;
  const recipe = await ctx.recipe(work.tool, work.recipeVersion);
  return new RecipePeer(ctx.toolCalls, recipe, work.toolHints?.calls ?? {});
}

/** The era by which a task's steps go: a recipe's questions have keys, whatever its server speaks. */
export function eraFor(work: TaskWork, serverEra: Era): Era {
  return work.recipeVersion === null ? serverEra : "2026-07-28";
}

/** Returns whether the answer is itself a tool call, and if it may be repeated; undefined: it is no tool call. Only a recipe's are. */
export async function answerCalls(
  ctx: WatcherContext,
  work: TaskWork,
): Promise<(request: RequestWork) => AnswerCall | undefined> {
  const peer = await recipePeerOf(ctx, work);
  if (!peer) return () => undefined;
  return ({ key, delivery }) => {
    if (delivery === null) return undefined;
    const { action, content } = delivery;
    return peer.isRepeatable(key, { action, ...(content && { content }) }) ? "repeatable" : "once";
  };
}

/** Returns whether the task's cancel must not be sent twice, though the outcome of the first time is unknown. */
export async function isCancelSentOnce(ctx: WatcherContext, work: TaskWork): Promise<boolean> {
  const peer = await recipePeerOf(ctx, work);
  return peer !== null && !peer.isCancelRepeatable;
}
