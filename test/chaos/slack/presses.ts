/** People press buttons of their messages in Slack: their own, and sometimes those of others, which has to decide nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import { signed } from "../../servers/slack/slack.ts";
import type { Try } from "../population.ts";
import { between, pick, randomFor } from "../random.ts";
import { decisionIn, pressableIn, requestIn, type SlackMessage } from "./messages.ts";
import { STRANGER, type Workspace } from "./workspace.ts";

export interface PressOptions {
  seed: number;
  tries: Try[];
  /** Called when somebody decides. */
  onDecision(): void;
  /** Ends the run. */
  signal: AbortSignal;
}

const LOOK_EVERY_MS = 500;
/** A window opens within three seconds, or not at all. */
const WINDOW_MS = 5_000;

/** How long others leave a request to those who press, in ms. The arguments of invoices are on the screen alone. */
export function leftToSlackMs(seed: number, { id, origin }: { id: string; origin: string }): number {
  const random = randomFor(seed, "left to Slack", id);
  return origin === "intray" && random() < 0.9 ? between(random, 15_000, 40_000) : 0;
}

/** Presses until `over`. Each message is pressed once more if it offers buttons again. */
export async function pressAll(
  workspace: Workspace,
  options: PressOptions,
  over: () => boolean,
): Promise<void> {
  const pressed = new Set<string>();
  const busy = new Set<Promise<void>>();
  while (!over()) {
    for (const message of workspace.slack.messages) {
      const version = `${message.ts} ${message.edits}`;
      if (pressableIn(message).length === 0 || pressed.has(version)) continue;
      pressed.add(version);
      const work = pressOne(workspace, options, message, version).finally(() => busy.delete(work));
      busy.add(work);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: options.signal });
  }
  await Promise.all(busy);
}

async function pressOne(
  { slack, users, pressUrl }: Workspace,
  { seed, tries, onDecision, signal }: PressOptions,
  message: SlackMessage,
  version: string,
): Promise<void> {
  const random = randomFor(seed, "press", requestIn(message) ?? version, message.channel);
  const way = pick(random, { nobody: 0.1, stranger: 0.1, other: 0.1, twice: 0.15 }) ?? "plain";
  const buttons = pressableIn(message);
  const button = buttons[Math.floor(random() * buttons.length)];
  await sleep(between(random, 100, 3_000), undefined, { signal });
  if (way === "nobody" || !button) return;
  const owner = users.find(({ slackUserId }) => message.channel.endsWith(slackUserId));
  const other = users.find((user) => user !== owner);
  const by = way === "stranger" ? undefined : way === "other" ? other : owner;
  const made: Try = {
    requestId: button.value.request,
    by: by?.name ?? "nobody",
    ...decisionIn(button.value),
    // A press in another person's message, or by nobody of Intray's, may never count.
    outcome: way === "stranger" || way === "other" ? "barred" : "unknown",
    undone: "no",
    isPress: true,
  };
  tries.push(made);
  onDecision();
  const user = by?.slackUserId ?? STRANGER;
  const press = (trigger: string) =>
    send(pressUrl, signal, {
      type: "block_actions",
      trigger_id: trigger,
      team: { id: slack.teamId },
      user: { id: user },
      container: { type: "message", message_ts: message.ts, channel_id: message.channel },
      actions: [{ action_id: button.actionId, value: JSON.stringify(button.value) }],
    });
  const trigger = `${version} ${user} ${way}`;
  // Slack may send one press twice; and a person may press twice.
  if (way === "twice") await Promise.all([press(trigger), press(trigger), press(`${trigger} again`)]);
  else await press(trigger);
  await sleep(WINDOW_MS, undefined, { signal });
  for (const { triggerId, view } of slack.views.filter((each) => each.triggerId.startsWith(trigger)))
    await send(pressUrl, signal, {
      type: "view_submission",
      trigger_id: `${triggerId} sent`,
      team: { id: slack.teamId },
      user: { id: user },
      view: {
        private_metadata: view.private_metadata,
        state: { values: { reason: { value: { value: "As chaos has it." } } } },
      },
    });
}

/** Slack tells the person if Intray does not answer, and sends nothing again. */
async function send(url: string, signal: AbortSignal, payload: object): Promise<void> {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: signed(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(3_000)]),
    });
    await response.body?.cancel();
    if (response.status === 401) throw new Error("Intray does not take what Slack signed");
  } catch (error) {
    signal.throwIfAborted();
    if ((error as Error).message.startsWith("Intray does not take")) throw error;
    // The app is down, or went down over this.
  }
}
