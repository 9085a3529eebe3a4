import { lookAtQuestion, tell } from "../answers.ts";
import { cancelTask, failTask } from "../transitions.ts";

/** The transitions on answers, cancels and deadlines, which quirks replace. */
export type Rules = {
  tell: typeof tell;
  lookAtQuestion: typeof lookAtQuestion;
  failTask: typeof failTask;
  cancelTask: typeof cancelTask;
};

export const rules: Rules = { tell, lookAtQuestion, failTask, cancelTask };
