// What only some requests show, and what is seen once a request is used, in one load. Loaded apart, these files would take
// the first load of the inbox over its 200 kB (docs/decisions/013): each of them adds to it what finds it.
export { AnswerCommands } from "../answer/answer-commands.ts";
export { AnswerDialogs } from "../answer/answer-dialogs.tsx";
export { ClaimAlive, ClaimLine } from "../answer/assignment/claim-status.tsx";
export { UrlQuestion } from "../answer/url-question.tsx";
export { AskedBefore, QuestionChanged, RestlessQuestion } from "./question-change.tsx";
export { EndState, RequestClosed } from "./request-closed.tsx";
export { NoForm, RequestMissing, RequestTrouble, TaskProgress, TimeLimitLine } from "./request-notices.tsx";
export { StickySummary } from "./sticky-summary.tsx";
