/** What a receipt says, in sentences: for a terminal, and for the page to print. Pure. */
import { actorWords } from "../../access/actor-words.ts";
import type { Receipt } from "./receipt-schema.ts";

export function wordsOf(receipt: Receipt): string[] {
  const { issuer, organization, request, policy, votes, answers, sent, history } = receipt;
  const about = `${plain(request.tool)} of ${plain(request.server.name)}`;
  const lines = [
    `${plain(issuer)} says of a request in ${plain(organization.name)} (${organization.id}):`,
    `  Request ${request.id} about ${about}, asked ${request.askedAt} for ${plain(actorWords(request.requestedBy))}. Question ${request.questionHash}.`,
    policy
      ? `  Rule “${plain(policy.rule)}”, version ${policy.version} of the policy: ${policy.stages.map(stageInWords).join(", then ")}.`
      : "  No rule says who has to agree: any one member except viewers, or a rule that answers by itself.",
    ...votes.map((vote) => `  ${voteWords(vote)}`),
    ...answers.map((answer) => `  ${answerWords(answer)}`),
    `  ${stateWords(request, answers)}`,
    `  ${SENT[sent]}`,
  ];
  const last = history.at(-1);
  return last
    ? [...lines, `  Its last line in the history is ${last.seq}, with the hash ${last.hash}.`]
    : lines;
}

export const SENT: Record<Receipt["sent"], string> = {
  nothing: "No answer was sent to the server.",
  unknown: "An answer was sent, and no reply says whether the server has it.",
  carried_out: "Intray itself acted on the answer: the question was its own, and no server had to be told.",
  taken: "The server replied that it has the answer.",
};

/** `Finance (2)`, or `Finance (2 of the group Finance team)`: the groups of the organization whose members voted in it. */
function stageInWords({ name, need, groups = [] }: NonNullable<Receipt["policy"]>["stages"][number]): string {
  const of = groups.map((group) => plain(group.name)).join(", ");
  const its = of ? ` of the ${groups.length === 1 ? "group" : "groups"} ${of}` : "";
  return `${plain(name)} (${need}${its})`;
}

function voteWords(vote: Receipt["votes"][number]): string {
  const what = vote.agrees ? "agreed" : "rejected";
  const end = vote.ended ? ` It does not count since ${vote.ended.at} (${plain(vote.ended.as)}).` : "";
  const who = vote.onBehalfOf
    ? `${plain(vote.by.name)} for ${plain(vote.onBehalfOf.name)}`
    : plain(vote.by.name);
  return `${who} ${what} in ${plain(vote.stage)}, ${vote.at}, ${signInWords(vote.signedIn)}.${end}`;
}

function answerWords({
  by,
  action,
  at,
  signedIn,
  withdrawnAt,
  delivery,
}: Receipt["answers"][number]): string {
  const way = delivery
    ? [
        delivery.sentAt && `sent ${delivery.sentAt}`,
        delivery.acceptedAt && `taken by the server ${delivery.acceptedAt}`,
        delivery.confirmedAt && `confirmed ${delivery.confirmedAt}`,
      ].filter((each) => each !== null)
    : [];
  const ended =
    delivery?.state === "failed" ? "It could not be delivered, and was asked for again" : "Taken back";
  const end = withdrawnAt ? ` ${ended} ${withdrawnAt}.` : "";
  const sent = way.length > 0 ? ` It was ${way.join(", ")}.` : "";
  if (by.kind === "rule")
    return `The rule ${plain(by.name)} answered ${actionWords(action)} by itself, ${at}, with no person.${sent}${end}`;
  return `${plain(by.name)} answered ${actionWords(action)}, ${at}, ${signInWords(signedIn)}.${sent}${end}`;
}

/** A form that says no is accepted, too: what it says is in the content, of which a receipt has the digest alone. */
function actionWords(action: string): string {
  return `“${plain(action)}”${action === "accept" ? " (the form was sent; this does not tell what it says)" : ""}`;
}

export function signInWords(signedIn: Receipt["votes"][number]["signedIn"]): string {
  if (!signedIn) return "signed in as the history does not say";
  if (signedIn.method === "key") return "by an API key";
  if (signedIn.method === "slack") return "in Slack, by the account that they linked";
  const factors = signedIn.amr.length > 0 ? ` (${signedIn.amr.map(plain).join(", ")})` : "";
  return `signed in by ${plain(signedIn.provider ?? signedIn.method)}${factors}`;
}

function stateWords(
  { state, endedAt, endedReason }: Receipt["request"],
  answers: Receipt["answers"],
): string {
  const inForce = answers.some(({ withdrawnAt }) => withdrawnAt === null);
  const why = endedReason ? ` (${plain(endedReason)})` : "";
  if (state === "open") return "It is open: no answer is in force.";
  if (state === "answered") return "It is answered, and not settled yet.";
  if (endedAt === null) return `It ended as ${plain(state)}${why}.`;
  return `It ended ${endedAt} as ${plain(state)}${why}${inForce ? "" : ", without an answer"}.`;
}

/** Names are people's and servers' own, and a terminal obeys control characters. */
const plain = (text: string) => text.replace(/\p{C}/gu, "\u{FFFD}");
