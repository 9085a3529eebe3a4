// One load for what some requests show and the first one of a list mostly does not.
export { AnswerCommands } from "../answer/answer-commands.ts";
export { AnswerDialogs } from "../answer/answer-dialogs.tsx";
export { NoForm } from "../answer/no-form.tsx";
export { UrlQuestion } from "../answer/url-question.tsx";
export { ClaimAlive } from "./claim-alive.ts";
export { ClaimLine } from "./claim-line.tsx";
export { EndState } from "./end-state.tsx";
export { AskedBefore, QuestionChanged, RestlessQuestion } from "./question-change.tsx";
export { RequestClosed } from "./request-closed.tsx";
export { RequestMissing } from "./request-missing.tsx";
export { RequestTrouble } from "./request-trouble.tsx";
export { StickySummary } from "./sticky-summary.tsx";
export { TimeLimitLine } from "./time-limit-line.tsx";
