/** What others agreed to, as later voters find it in the form. */
import type { Draft, InputRequestDetail } from "../request-schema.ts";
import { initialValues, readAnswer, sentValues } from "./answer-values.ts";

/** The values that the voters agreed to, to fill the form with; null: nobody has voted for any. */
export function agreedValues({
  fields,
  approval,
}: Pick<InputRequestDetail, "fields" | "approval">): Record<string, unknown> | null {
  return approval?.content ? sentValues(fields, approval.content) : null;
}

/**
 * The draft that the form begins with. The voters' agreed values fill the form. A draft wins only if it is newer and has values.
 */
export function startingDraft({
  draft,
  ...request
}: Pick<InputRequestDetail, "draft" | "fields" | "approval">): Draft | null {
  const agreed = agreedValues(request);
  if (!draft || !agreed) return draft;
  const votes = request.approval?.stages.flatMap((stage) => stage.votes) ?? [];
  const isNewer = votes.every(({ agrees, at }) => !agrees || at < draft.savedAt);
  return isNewer && Object.keys(draft.content).length > 0 ? draft : { ...draft, content: agreed };
}

/**
 * What to send of a form that says just what others agreed to: their own content, which may be written otherwise than the form would, such
 * as choices in another order. Everything in it has a field of the form.
 */
export function asAgreed(
  request: Pick<InputRequestDetail, "fields" | "approval">,
  content: Record<string, unknown>,
): Record<string, unknown> {
  const agreed = request.approval?.content;
  const { fields: form } = request;
  if (!agreed || form.kind !== "supported") return content;
  const { fields } = form;
  const isShown = Object.keys(agreed).every((name) => fields.some((field) => field.name === name));
  const said = readAnswer(fields, initialValues(fields, sentValues(form, agreed))).content;
  return isShown && JSON.stringify(said) === JSON.stringify(content) ? agreed : content;
}

/** What others agreed to where it is something else than what one sent: `Cost center: CC-1000`. Null: it is not known. */
export function differsWords(
  { fields, approval }: Pick<InputRequestDetail, "fields" | "approval">,
  sent: Record<string, unknown>,
): string | null {
  const agreed = approval?.content;
  if (!agreed || fields.kind !== "supported") return null;
  const said = (content: Record<string, unknown>, name: string) =>
    Object.hasOwn(content, name) ? [content[name]].flat().join(", ") : "";
  const differing = fields.fields.filter(({ name }) => said(agreed, name) !== said(sent, name));
  return differing.map(({ name, title }) => `${title}: ${said(agreed, name) || "empty"}`).join(" · ") || null;
}
