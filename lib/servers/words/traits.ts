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
          "Answer within this time. The server may ignore a later answer and continue without it.",
        ),
  ({ era, traits: { reissues } }) => {
    if (era === "2026-07-28")
      return line("Keeps its questions with the task", "An answer needs no open connection.");
    if (reissues === null) return "whether it repeats a question when asked";
    return reissues
      ? line(
          "Repeats a question when asked: answers survive a lost session",
          "An answer reaches it even if connections break.",
        )
      : line(
          "Asks a question only once",
          "An answer reaches it only while the session of the question lives. If the session is lost, start the task again.",
        );
  },
  ({ traits: { notifies } }) => {
    if (notifies === null) return "whether it reports changes by itself";
    return notifies
      ? line("Reports changes by itself", "Questions and results show up at once.")
      : line("Does not report changes", "Questions and results show up at the next check.");
  },
  ({ traits: { listsTasks } }) => {
    if (listsTasks === null) return "whether it lists its tasks";
    return listsTasks
      ? line("Lists its tasks", "Intray can find a task again after a broken start.")
      : line(
          "Does not list its tasks",
          "If a start breaks off, a person has to find out whether the task began.",
        );
  },
  ({ honoursIdempotencyKey }) => {
    if (honoursIdempotencyKey === null) return "whether each of its tools recognises a repeated call";
    return honoursIdempotencyKey
      ? line(
          "Recognises a repeated call",
          "If a start breaks off, Intray repeats the call. There is no second task.",
        )
      : line(
          "Does not promise to recognise a repeated call",
          "If a start breaks off, a person may have to decide, because Intray never calls a tool twice by itself.",
        );
  },
  ({ era, traits: { namesTask } }) => {
    if (era === "2026-07-28") return null;
    if (namesTask === null) return "whether it says which task a question belongs to";
    return namesTask
      ? line("Says which task a question belongs to", "Its tasks can share a session.")
      : line(
          "Does not say which task a question belongs to",
          "If its tasks share a session, Intray asks for their questions one task at a time.",
        );
  },
  ({ era, traits: { opensStream, refusesTasks, putsTasks, fetches } }) => {
    if (era === "2026-07-28") return null;
    if (refusesTasks)
      return line(
        "Refuses to ask its questions as tasks",
        "Intray no longer offers this. Answer within the server’s own time.",
      );
    if (putsTasks)
      return fetches
        ? line(
            "Asks its questions as tasks, and fetches the answers",
            "An answer waits until the server fetches it, also through restarts.",
          )
        : line(
            "Asks its questions as tasks, and has not fetched an answer yet",
            "An answer waits here until the server fetches it.",
          );
    if (opensStream === null) return "whether it can ask its questions as tasks";
    return opensStream
      ? line(
          "May ask its questions as tasks",
          "Intray offers to keep these tasks. Then an answer may take longer than the server waits for a reply.",
        )
      : line("Can’t ask its questions as tasks", "It opens no stream, so it could not fetch the answers.");
  },
  ({ traits: { sessionLimit, namesTask } }) =>
    sessionLimit === null
      ? null
      : line(
          `Takes no more than ${sessionLimit} sessions at a time`,
          namesTask === false
            ? "Further tasks share a session. Intray asks for their questions one task at a time."
            : "Further tasks share a session. Each question names its task.",
        ),
];
