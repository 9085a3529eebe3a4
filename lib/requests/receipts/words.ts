/** What a receipt says, in sentences: for a terminal, and for the page to print. Pure. */
import { actorWords } from "../../access/actor-words.ts";
import { REASONS } from "../../tasks/words/task-events.ts";
import { capitalise } from "../../text/labels.ts";
import type { Receipt } from "./receipt-schema.ts";

export function wordsOf(receipt: Receipt): string[] {
  const { issuer, organization, request, policy, votes, answers, sent, history } = receipt;
  const lines = [
    `${plain(issuer)} states about a request in the organization ${plain(organization.name)} (${organization.id}):`,
    `  The tool ${plain(request.tool)} of the server ${plain(request.server.name)} asked a question at ${request.askedAt}. It was called for ${plain(actorWords(request.requestedBy))}.`,
    `  Id of the request: ${request.id}. Hash of the question: ${request.questionHash}.`,
    policy
      ? `  By the rule “${plain(policy.rule)}” (policy version ${policy.version}) these had to agree: ${policy.stages.map(stageInWords).join(", then ")}.`
      : "  No rule says who has to agree. Any one member except viewers decides, or an automatic rule.",
    ...votes.map((vote) => `  ${voteWords(vote)}`),
    ...answers.map((answer) => `  ${answerWords(answer)}`),
    `  ${stateWords(request, answers)}`,
    `  ${SENT[sent]}`,
  ];
  const last = history.at(-1);
  return last
    ? [...lines, `  Its newest line in the history is line ${last.seq}, with the hash ${last.hash}.`]
    : lines;
}

export const SENT: Record<Receipt["sent"], string> = {
  nothing: "No answer was sent to the server.",
  unknown: "An answer was sent. No reply says whether the server has it.",
  carried_out: "Intray asked this question itself and acted on the answer. No server had to get the answer.",
  taken: "The server replied that it has the answer.",
};

/** `2 of Finance`, or `2 of Finance (the group Finance team)`: the groups of the organization whose members voted in it. */
function stageInWords({ name, need, groups = [] }: NonNullable<Receipt["policy"]>["stages"][number]): string {
  const of = groups.map((group) => plain(group.name)).join(", ");
  return `${need} of ${plain(name)}${of && ` (the ${groups.length === 1 ? "group" : "groups"} ${of})`}`;
}

function voteWords(vote: Receipt["votes"][number]): string {
  const what = vote.agrees ? "agreed" : "rejected";
  const end = vote.ended
    ? ` This vote no longer counts since ${vote.ended.at}: ${voteEnd(vote.ended.as)}.`
    : "";
  const who = vote.onBehalfOf
    ? `${plain(vote.by.name)} for ${plain(vote.onBehalfOf.name)}`
    : plain(vote.by.name);
  return `${who} ${what} in the stage ${plain(vote.stage)} at ${vote.at}, ${signInWords(vote.signedIn)}.${end}`;
}

function voteEnd(as: string): string {
  return VOTE_ENDS[as] ?? plain(as);
}

const VOTE_ENDS: Record<string, string> = {
  taken_back: "the voter took it back",
  question_changed: "the question changed",
  asked_again: "the server asked again after an answer that could not be delivered",
  other_content: "somebody proposed another answer",
  judged_again: "another version of the policy was applied",
};

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
        delivery.sentAt && `Intray sent it at ${delivery.sentAt}`,
        delivery.acceptedAt && `the server accepted it at ${delivery.acceptedAt}`,
        delivery.confirmedAt && `the task moved on at ${delivery.confirmedAt}`,
      ].filter((each) => each !== null)
    : [];
  const ended =
    delivery?.state === "failed"
      ? "It could not be delivered. The question was opened again"
      : "It was taken back";
  const end = withdrawnAt ? ` ${ended} at ${withdrawnAt}.` : "";
  const sent = way.length > 0 ? ` ${capitalise(way.join(", "))}.` : "";
  if (by.kind === "rule")
    return `The automatic rule ${plain(by.name)} answered ${actionWords(action)} at ${at}. No person decided.${sent}${end}`;
  return `${plain(by.name)} answered ${actionWords(action)} at ${at}, ${signInWords(signedIn)}.${sent}${end}`;
}

/** A form that says no is accepted, too: what it says is in the content, of which a receipt has the digest alone. */
function actionWords(action: string): string {
  return `“${plain(action)}”${action === "accept" ? " (a form was sent; the receipt does not tell what it says)" : ""}`;
}

export function signInWords(signedIn: Receipt["votes"][number]["signedIn"]): string {
  if (!signedIn) return "the history does not say how they had signed in";
  const { method, provider, amr } = signedIn;
  if (method === "key") return "with an API key";
  if (method === "slack") return "in Slack, with their linked account";
  if (method === "teams") return "in Teams, with their linked account";
  const factors = amr.length > 0 ? ` (${amr.map(plain).join(", ")})` : "";
  return `signed in ${provider ? `through ${plain(provider)}` : (METHODS[method] ?? `by ${plain(method)}`)}${factors}`;
}

const METHODS: Record<string, string> = {
  password: "with a password",
  passkey: "with a passkey",
  oidc: "by single sign-on",
  saml: "by single sign-on",
  demo: "in the demonstration, without a password",
};

function stateWords(
  { state, endedAt, endedReason }: Receipt["request"],
  answers: Receipt["answers"],
): string {
  const inForce = answers.some(({ withdrawnAt }) => withdrawnAt === null);
  const why = endedReason ? ` (${REASONS[endedReason] ?? plain(endedReason)})` : "";
  if (state === "open") return "The request is still open. No answer counts.";
  if (state === "answered") return "The request is answered. The answer is not final yet.";
  const at = endedAt === null ? "" : ` at ${endedAt}`;
  return `The request ended${at}: ${ENDS[state] ?? plain(state)}${why}.${inForce ? "" : " No answer counts."}`;
}

const ENDS: Record<string, string> = {
  settled: "it was answered",
  withdrawn: "the question was withdrawn",
  expired: "its time ran out",
  undeliverable: "the answer could not be delivered",
};

/** Names are people's and servers' own, and a terminal obeys control characters. */
const plain = (text: string) => text.replace(/\p{C}/gu, "\u{FFFD}");
