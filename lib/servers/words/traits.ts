import { aboutHowLong } from "../../text/duration.ts";
import type { ServerDetail } from "../server-schema.ts";

/** One observed behaviour of a server, and its effect on people. */
interface TraitLine {
  text: string;
  means: string;
}

export interface TraitWords {
  seen: TraitLine[];
  /** Behaviours not observed yet, as ends of a sentence. */
  notYet: string[];
}

type Server = Pick<ServerDetail, "era" | "traits" | "honoursIdempotencyKey">;

/** A server's observed behaviours in plain sentences, the ones most relevant to approvers first. */
export function describeTraits(server: Server): TraitWords {
  const words: TraitWords = { seen: [], notYet: [] };
  for (const trait of TRAITS) {
    const said = trait(server);
    if (typeof said === "string") words.notYet.push(said);
    else if (said) words.seen.push(said);
  }
  return words;
}

const line = (text: string, means: string): TraitLine => ({ text, means });

/** Text: not observed yet. Null: nothing to say. */
type Trait = (server: Server) => TraitLine | string | null;

const TRAITS: Trait[] = [
  ({ traits: { questionLifetimeMs } }) =>
    questionLifetimeMs === null
      ? "how long it keeps a question open"
      : line(
          `Gives up on questions after about ${aboutHowLong(questionLifetimeMs)}`,
          "Answer within that time: what comes later may not be taken, and the task may go on without it.",
        ),
  ({ era, traits: { reissues } }) => {
    if (era === "2026-07-28")
      return line("Keeps its questions with the task", "An answer needs no open connection.");
    if (reissues === null) return "whether it puts a question again when asked";
    return reissues
      ? line(
          "Puts a question again when asked: answers survive a lost session",
          "An answer reaches it even when connections break meanwhile.",
        )
      : line(
          "Puts a question once and never again",
          "An answer reaches it only while the session that asked lives. If that is lost, the task has to be started again.",
        );
  },
  ({ traits: { notifies } }) => {
    if (notifies === null) return "whether it tells of changes by itself";
    return notifies
      ? line("Tells of changes by itself", "Questions and results show up at once.")
      : line("Does not tell of changes", "Questions and results show up at the next check.");
  },
  ({ traits: { listsTasks } }) => {
    if (listsTasks === null) return "whether it lists its tasks";
    return listsTasks
      ? line("Lists its tasks", "A task that Intray lost sight of can be found again.")
      : line("Does not list its tasks", "Whether a broken start began is for a person to find out.");
  },
  ({ honoursIdempotencyKey }) => {
    if (honoursIdempotencyKey === null) return "whether each of its tools recognises a repeated call";
    return honoursIdempotencyKey
      ? line("Recognises a repeated call", "A start that broke off is simply made again: no second task.")
      : line(
          "Does not promise to recognise a repeated call",
          "Intray never calls a tool twice by itself: where a start broke off, a person may have to decide.",
        );
  },
  ({ era, traits: { namesTask } }) => {
    if (era === "2026-07-28") return null;
    if (namesTask === null) return "whether it says which task a question belongs to";
    return namesTask
      ? line("Says which task a question belongs to", "Its tasks can share a session.")
      : line(
          "Does not say which task a question belongs to",
          "Where its tasks share a session, Intray asks for their questions one task at a time.",
        );
  },
  ({ era, traits: { opensStream, refusesTasks, putsTasks, fetches } }) => {
    if (era === "2026-07-28") return null;
    if (refusesTasks)
      return line(
        "Refuses to put its questions as tasks",
        "Intray no longer offers that. Its questions are put and answered in its own time.",
      );
    if (putsTasks)
      return fetches
        ? line(
            "Puts its questions as tasks, and fetches the answers",
            "An answer waits for the server as long as it takes, through restarts of either.",
          )
        : line(
            "Puts its questions as tasks, and has not fetched an answer yet",
            "An answer waits here. Where the server never asks for it, it stays here.",
          );
    if (opensStream === null) return "whether it can put its questions as tasks";
    return opensStream
      ? line(
          "May put its questions as tasks",
          "Intray offers to keep them, so that an answer may take longer than the server waits for a reply.",
        )
      : line(
          "Can’t put its questions as tasks",
          "It opens no stream on which it could ask for them, so Intray does not offer to keep any.",
        );
  },
  ({ traits: { sessionLimit, namesTask } }) =>
    sessionLimit === null
      ? null
      : line(
          `Takes no more than ${sessionLimit} sessions at a time`,
          namesTask === false
            ? "Further tasks share one, and are asked for their questions one at a time."
            : "Further tasks share one; each question says whose it is.",
        ),
];
