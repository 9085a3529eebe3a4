import { lookAtQuestion, tell } from "../answers.ts";
import { cancelTask, failTask } from "../transitions.ts";

/** What becomes of an invoice when somebody answers, cancels, or time runs out: what a server could get wrong. */
export type Rules = {
  tell: typeof tell;
  lookAtQuestion: typeof lookAtQuestion;
  failTask: typeof failTask;
  cancelTask: typeof cancelTask;
};

export const rules: Rules = { tell, lookAtQuestion, failTask, cancelTask };
