/** Judges what stands in people's messages at Slack when everything has ended. Pure. */
import type { Facts, RequestFact } from "../facts.ts";
import type { Judgement } from "../judgement.ts";
import { pressableIn, requestIn, type SlackMessage, titleOf } from "./messages.ts";

/** Adds to the judgement whom Slack told twice, and what it says that is untrue. */
export function judgeMessages(judgement: Judgement, messages: SlackMessage[], facts: Facts): void {
  const requests = new Map(
    facts.tasks.flatMap(({ id, requests }) =>
      requests.map((request) => [request.id, { taskId: id, request }] as const),
    ),
  );
  const told = new Set<string>();
  for (const message of messages) {
    const id = requestIn(message);
    if (id === null) continue;
    const known = requests.get(id);
    if (!known) {
      judgement.misdirected.push({ taskId: null, what: `Slack tells of the request ${id}, which is none` });
      continue;
    }
    const { taskId, request } = known;
    const place = `${message.channel} ${id}`;
    if (told.has(place))
      judgement.doubled.push({
        taskId,
        what: `Slack has two messages about the request ${id} in ${message.channel}`,
      });
    told.add(place);
    const wrong = untrueIn(message, request);
    if (wrong)
      judgement.wronglyTold.push({
        taskId,
        what: `Slack says of the request ${id}: “${titleOf(message)}”; ${wrong}`,
      });
  }
}

/** Why a message is untrue; null: it is true, or tells of something else. */
function untrueIn(message: SlackMessage, { answer, state }: RequestFact): string | null {
  const title = titleOf(message);
  if (state !== "open" && (pressableIn(message).length > 0 || ASKS.test(title))) return `it is ${state}`;
  if (!DECIDED.test(title)) return null;
  if (!answer) return "nobody decided it";
  const isIt = title.startsWith(`${answer.words} by `) && title.includes(answer.by.name);
  return isIt ? null : `it was decided: ${answer.words} by ${answer.by.name}`;
}

/** Titles of messages that ask, and of those that say who decided. */
const ASKS = /^A request (waits for an answer|still waits for your vote|was assigned to you)/;
const DECIDED = /^(Answered|Approved|Asked to revise|Cancelled|Confirmed|Declined|Rejected)\b.* by /;
