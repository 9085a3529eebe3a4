import { JsonTree } from "@/components/facts/facts.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { DialogLoading } from "@/components/ui/overlay/dialog.tsx";
import { describeFacts } from "@/lib/format/facts/facts.ts";
import { decisionOf } from "@/lib/input-requests/decision.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import type { SimilarRequests } from "@/lib/input-requests/similar-schema.ts";
import { isPressing } from "./time-limit.tsx";

// What some requests show and the first one of a list mostly does not. All of it comes when the page is used.

const later = () => import("./request-later.ts");
const beside = () => import("./request-beside.ts");
const warm = { warm: true };

export const FormAnswerArea = lazyComponent(
  () => import("../answer/form-answer-area.tsx").then((file) => file.FormAnswerArea),
  warm,
);
export const UrlQuestion = lazyComponent(() => later().then((file) => file.UrlQuestion), warm);
export const NoForm = lazyComponent(() => later().then((file) => file.NoForm), warm);
export const RequestClosed = lazyComponent(() => later().then((file) => file.RequestClosed), warm);
export const RequestMissing = lazyComponent(() => later().then((file) => file.RequestMissing), warm);
export const EndState = lazyComponent(() => later().then((file) => file.EndState), warm);
export const RequestTrouble = lazyComponent(() => later().then((file) => file.RequestTrouble), warm);
export const QuestionChanged = lazyComponent(() => later().then((file) => file.QuestionChanged), warm);
export const RestlessQuestion = lazyComponent(() => later().then((file) => file.RestlessQuestion), warm);
export const AskedBefore = lazyComponent(() => later().then((file) => file.AskedBefore), warm);
export const ClaimAlive = lazyComponent(() => later().then((file) => file.ClaimAlive), warm);
export const ClaimLine = lazyComponent(() => later().then((file) => file.ClaimLine), warm);
export const TimeLimitLine = lazyComponent(() => later().then((file) => file.TimeLimitLine), warm);
export const RepeatNotice = lazyComponent(() => beside().then((file) => file.RepeatNotice), warm);
export const DecidedBefore = lazyComponent(() => beside().then((file) => file.DecidedBefore), warm);
export const OtherQuestions = lazyComponent(
  () => import("./other-questions.tsx").then((file) => file.OtherQuestions),
  warm,
);
/** What the palette offers, and what is seen once one has scrolled. */
export const AnswerCommands = lazyComponent(() => later().then((file) => file.AnswerCommands), {
  patient: true,
});
export const StickySummary = lazyComponent(() => later().then((file) => file.StickySummary), {
  patient: true,
});
/** Until they are there the single keys rest: what is typed right after D is meant for them. */
export const AnswerDialogs = lazyComponent(() => later().then((file) => file.AnswerDialogs), {
  loading: DialogLoading,
  warm: true,
});

/** What a request needs to be shown as a whole: a part that came late would move what is about to be pressed. */
export function partsOf(request: InputRequestDetail, similar: SimilarRequests | null) {
  const open = request.state === "open";
  return [
    isForm(request) && FormAnswerArea,
    request.mode === "url" && UrlQuestion,
    !open && RequestClosed,
    !open && EndState,
    request.fields.kind !== "supported" && NoForm,
    open && request.claimedBy !== null && ClaimLine,
    isPressing(request) && TimeLimitLine,
    describeFacts(request.arguments).some((block) => block.kind === "json") && JsonTree,
    isStuck(request) && RequestTrouble,
    open && request.rewordedAt !== null && RestlessQuestion,
    open && wasAskedBefore(request) && AskedBefore,
    open && similar?.repeats && RepeatNotice,
    similar && similar.items.length > 0 && DecidedBefore,
  ].filter((each) => !!each);
}

export function isForm({ fields }: InputRequestDetail): boolean {
  return decisionOf(fields).kind === "form";
}

/** Its answer waits, or would wait, for somebody to sign in, or for a pause to end. */
export function isStuck({ connectionState, server, state }: InputRequestDetail): boolean {
  return (connectionState !== "connected" || !!server.pause) && (state === "open" || state === "answered");
}

/** Of a wording that changes again and again that is said where it is answered. */
export function wasAskedBefore({ previous, askedAgain, rewordedAt }: InputRequestDetail): boolean {
  return rewordedAt === null && Boolean(previous || askedAgain);
}
