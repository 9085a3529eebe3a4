/** Which requests are never answered without a person, neither live nor in shadow. Pure. docs/decisions/073 says why. */

/** What is known of a request that was asked just now. */
export interface Asked {
  origin: "server" | "intray";
  /** The task is a recipe's, whose questions are Intray's in the server's name. */
  isRecipes: boolean;
  mode: string;
  /** Of its form: `secret` and `unsupported` ones can't be filled in. */
  form: { kind: string };
  /** The question was put before in its task. */
  askedAgain: boolean;
  /** It took the place of another question, or its text changed. */
  isReworded: boolean;
  /** The server says that the tool may destroy data, or says something else of it than when somebody last looked. */
  isFlagged: boolean;
  /** What Intray warns of on its card. */
  warnings: string[];
  isPrivate: boolean;
  /** Rules of the policy say who has to agree. */
  hasApproval: boolean;
}

export type Exclusion =
  | "own_question"
  | "url"
  | "secret"
  | "unsupported"
  | "asked_again"
  | "reworded"
  | "flagged"
  | "private"
  | "people_agree";

/** Why people alone answer the request; null: a rule may. */
export function excludedBy(asked: Asked): Exclusion | null {
  if (asked.origin === "intray" || asked.isRecipes) return "own_question";
  if (asked.mode !== "form") return "url";
  if (asked.form.kind === "secret") return "secret";
  if (asked.form.kind !== "supported") return "unsupported";
  if (asked.askedAgain) return "asked_again";
  if (asked.isReworded) return "reworded";
  if (asked.isFlagged || asked.warnings.length > 0) return "flagged";
  if (asked.isPrivate) return "private";
  return asked.hasApproval ? "people_agree" : null;
}
