// One chunk for parts that only some requests show, or that appear once a request is used. In chunks of their
// own, each would add its loader to the inbox's first load, which would then exceed 200 kB
// (docs/decisions/013).
export { AnswerCommands } from "../answer/answer-commands.ts";
export { AnswerDialogs } from "../answer/answer-dialogs.tsx";
export { AnswerErrorNotice } from "../answer/answer-error-notice.tsx";
export { AssignmentNote, ClaimAlive, ClaimLine } from "../answer/assignment/claim-status.tsx";
export { GuardedButton } from "../answer/decision/guarded-button.tsx";
export { SeeFirst } from "../answer/see-first.tsx";
export { UrlQuestion } from "../answer/url-question.tsx";
export { TalkStrip } from "../thread/talk-strip.tsx";
export { AgentFetch } from "./answer-given.tsx";
export { AgreedChange, ApprovedChange, Revisions } from "./changed-call.tsx";
export { Documents } from "./documents/documents.tsx";
export { GateStrip } from "./gate-strip.tsx";
export { PartyStrip } from "./party-strip.tsx";
export { ProgramsCall } from "./program-call.tsx";
export { QuestionChanged, RestlessQuestion } from "./question-change.tsx";
export { EndState, RequestClosed } from "./request-closed.tsx";
export { NoForm, RequestMissing, RequestTrouble, TaskProgress, TimeLimitLine } from "./request-notices.tsx";
export { StickySummary } from "./sticky-summary.tsx";
export { VotesStrip } from "./votes-strip.tsx";
