/** A Slack workspace of the run, behind a bad network, to which the two people with sessions have linked their accounts. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Fault, SECRETS, type SlackServer, startSlack } from "../../servers/slack/slack.ts";
import type { Api } from "../api.ts";
import type { Facts } from "../facts.ts";
import type { Installation } from "../installation.ts";
import { isGood, newJudgement } from "../judgement.ts";
import { pick, randomFor } from "../random.ts";
import { judgeMessages } from "./judge.ts";

export interface Workspace {
  slack: SlackServer;
  /** Slack's users, by the name of the member who linked theirs. */
  users: { name: string; slackUserId: string }[];
  /** To which Slack sends what people press. */
  pressUrl: string;
}

/** Longer than the claim of an engine that was killed, and the pauses after a few failures. */
const CATCH_UP_MS = 150_000;

/** Waits until all messages tell the truth about what has ended, or the time is up; the judgement reports the others. */
export async function areUpToDate(
  { messages }: SlackServer,
  facts: Facts,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + CATCH_UP_MS;
  const isTrue = () => {
    const judgement = newJudgement();
    judgeMessages(judgement, messages, facts);
    return isGood(judgement);
  };
  while (!isTrue() && Date.now() < deadline) await sleep(1_000, undefined, { signal });
}

/** In the workspace, with no account in Intray. */
export const STRANGER = "U-stranger";

const LIKELY = { lose: 0.05, down: 0.04, limited: 0.03, failing: 0.02 };

/** Starts Slack. `isRaging`: whether its network is bad at this moment. */
export async function openWorkspace(seed: number, isRaging: () => boolean): Promise<SlackServer> {
  const slack = await startSlack();
  const calls = new Map<string, number>();
  slack.plan = (method): Fault | null => {
    const nth = calls.get(method) ?? 0;
    calls.set(method, nth + 1);
    const random = randomFor(seed, "slack", method, nth);
    const fault = isRaging() ? pick(random, LIKELY) : null;
    switch (fault) {
      case "lose":
        return { lose: true };
      case "down":
        return { status: 503 };
      case "limited":
        return { retryAfter: 1 + Math.floor(random() * 3) };
      case "failing":
        return { error: "internal_error" };
      case null:
        return null;
    }
  };
  return slack;
}

/** Sets Slack up as an admin, and links both people's accounts as they do it in a browser. */
export async function joinWorkspace(
  api: Api,
  { url, keys }: Installation,
  slack: SlackServer,
): Promise<Workspace> {
  const { body: made } = await api.untilStatus("PUT", "/organization/slack", {
    key: keys.admin,
    body: SECRETS,
  });
  await api.untilStatus("PATCH", "/organization/slack", { key: keys.admin, body: { showsText: true } });
  const users: Workspace["users"] = [];
  for (const cookie of keys.people) {
    const { body: me } = await api.untilStatus("GET", "/me", { key: cookie });
    const slackUserId = `U${users.length + 1}`;
    slack.signedIn = { teamId: slack.teamId, userId: slackUserId, name: `${me.user.name} at Slack` };
    const { body: link } = await api.untilStatus("POST", "/me/slack", { key: cookie });
    const back = await slack.authorize(link.url);
    const arrived = await fetch(back, { headers: { cookie }, redirect: "manual" });
    if (!arrived.headers.get("location")?.endsWith("slack=linked"))
      throw new Error(
        `${me.user.name} could not link Slack: ${arrived.status} ${arrived.headers.get("location")}`,
      );
    users.push({ name: me.user.name, slackUserId });
  }
  const [, pressUrl] = /"request_url": *"([^"]+)"/.exec(made.manifest) ?? [];
  if (!pressUrl?.startsWith(url)) throw new Error(`the manifest has no address of Intray: ${made.manifest}`);
  return { slack, users, pressUrl };
}
