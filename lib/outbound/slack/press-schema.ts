/** What Slack sends when a member presses a button or sends a modal, and what Intray puts into both. Pure. */
import type { InputBlock, ModalView, PlainTextElement } from "@slack/web-api";
import { z } from "zod";
import { shorten } from "../../text/labels.ts";
import type { OfferedButton } from "./offer.ts";

/** Stands in a button and in a modal. `questionHash`: of the question that was shown. */
const valueSchema = z.object({
  request: z.uuid(),
  questionHash: z.string(),
  kind: z.enum(["accept", "change", "decline", "revise"]),
  content: z.record(z.string(), z.unknown()).nullable(),
});
export type PressValue = z.infer<typeof valueSchema>;

/** Of a modal: also the message whose button opened it. */
const modalValueSchema = valueSchema.extend({ channel: z.string(), ts: z.string() });

export const pressSchema = modalValueSchema.extend({
  /** Null: the button itself was pressed. */
  reason: z.string().nullable(),
  /** Of a call that is approved with changes: its arguments, as they were typed. */
  typed: z.record(z.string(), z.string()).nullable(),
  /** Opens one modal, within three seconds. */
  triggerId: z.string(),
});
export type StoredPress = z.infer<typeof pressSchema>;

const from = {
  trigger_id: z.string().max(300),
  team: z.object({ id: z.string() }).nullish(),
  user: z.object({ id: z.string().max(50) }),
};

const payloadSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("block_actions"),
    ...from,
    container: z.object({ message_ts: z.string().max(50), channel_id: z.string().max(50) }),
    actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).min(1),
  }),
  z.object({
    type: z.literal("view_submission"),
    ...from,
    view: z.object({
      private_metadata: z.string(),
      state: z.object({
        values: z.record(
          z.string(),
          z.record(
            z.string(),
            z.object({
              value: z.string().nullish(),
              selected_option: z.object({ value: z.string() }).nullish(),
              selected_date: z.string().nullish(),
            }),
          ),
        ),
      }),
    }),
  }),
]);

export interface Interaction {
  teamId: string | null;
  slackUserId: string;
  triggerId: string;
  /** Null: nothing is decided, as by the button that is a link. */
  press: StoredPress | null;
}

/** Reads a payload whose signature was checked. Null: it is none of a button or modal of Intray's. */
export function readInteraction(payload: string): Interaction | null {
  const sent = payloadSchema.safeParse(jsonOf(payload)).data;
  if (!sent) return null;
  const { trigger_id: triggerId, team, user } = sent;
  const by = { teamId: team?.id ?? null, slackUserId: user.id, triggerId };
  if (sent.type === "block_actions") {
    const [action] = sent.actions;
    const value = valueSchema.safeParse(jsonOf(action?.value ?? "")).data;
    const { channel_id: channel, message_ts: ts } = sent.container;
    return { ...by, press: value ? { ...value, channel, ts, reason: null, typed: null, triggerId } : null };
  }
  const value = modalValueSchema.safeParse(jsonOf(sent.view.private_metadata)).data;
  const given = Object.entries(sent.view.state.values).map(([block, { [VALUE]: its }]): [string, string] => [
    block,
    its?.selected_option?.value ?? its?.selected_date ?? its?.value ?? "",
  ]);
  const typed = given.flatMap(([block, text]): [string, string][] =>
    block.startsWith(ARGUMENT) ? [[block.slice(ARGUMENT.length), text]] : [],
  );
  const reason = given.find(([block]) => block === REASON)?.[1].trim() ?? "";
  const isChange = value?.kind === "change";
  return {
    ...by,
    press: value ? { ...value, reason, typed: isChange ? Object.fromEntries(typed) : null, triggerId } : null,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The blocks of modals, and the one element in each. */
const REASON = "reason";
const ARGUMENT = "argument ";
const VALUE = "value";
/** As of an answer's comment. */
const REASON_CHARACTERS = 3_000;

/** The modal that asks why. `about`: the tool and the server. */
export function reasonModal(button: OfferedButton, press: StoredPress, about: string): ModalView {
  const { kind, reason } = button;
  const label = plain(kind === "revise" ? "What to change" : "Reason");
  return modal(button, press, about, [
    {
      type: "input",
      block_id: REASON,
      optional: reason !== "required",
      label,
      element: {
        type: "plain_text_input",
        action_id: VALUE,
        multiline: true,
        max_length: REASON_CHARACTERS,
      },
    },
  ]);
}

/** The modal with the arguments of a call, which `shownArguments` let pass. */
export function changeModal(
  button: OfferedButton,
  press: StoredPress,
  about: string,
  args: Record<string, unknown>,
): ModalView {
  const inputs = Object.entries(args).flatMap(([name, value]): InputBlock[] => {
    const element = elementOf(value);
    const block = { type: "input" as const, block_id: ARGUMENT + name, label: plain(name), optional: true };
    return element ? [{ ...block, element }] : [];
  });
  return modal(button, press, about, inputs);
}

function elementOf(value: unknown): InputBlock["element"] | null {
  switch (typeof value) {
    case "boolean": {
      const option = (each: boolean) => ({ text: plain(String(each)), value: String(each) });
      return {
        type: "static_select",
        action_id: VALUE,
        options: [option(true), option(false)],
        initial_option: option(value),
      };
    }
    case "number":
      return {
        type: "number_input",
        action_id: VALUE,
        is_decimal_allowed: true,
        initial_value: String(value),
      };
    case "string":
      return /^\d{4}-\d{2}-\d{2}$/.test(value)
        ? { type: "datepicker", action_id: VALUE, initial_date: value }
        : { type: "plain_text_input", action_id: VALUE, initial_value: value };
    default:
      return null;
  }
}

/** The arguments with what was typed, each of the type that it had. Null: a number is none, or has no exact value. */
export function changedBy(
  args: Record<string, unknown>,
  typed: Record<string, string>,
): Record<string, unknown> | null {
  const changed = Object.entries(args).map(([name, value]): [string, unknown] => {
    const text = Object.hasOwn(typed, name) ? typed[name] : undefined;
    if (text === undefined) return [name, value];
    if (typeof value === "boolean") return [name, text === "true"];
    return [name, typeof value === "number" ? exactNumber(text) : text];
  });
  return changed.some(([, value]) => value === INEXACT) ? null : Object.fromEntries(changed);
}

const INEXACT = Symbol("inexact");

function exactNumber(text: string): number | typeof INEXACT {
  const value = Number(text);
  const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return text.trim() !== "" && isExact ? value : INEXACT;
}

function modal(
  { kind, label }: OfferedButton,
  { request, questionHash, content, channel, ts }: StoredPress,
  about: string,
  inputs: InputBlock[],
): ModalView {
  const value: z.infer<typeof modalValueSchema> = { request, questionHash, kind, content, channel, ts };
  const title = plain(shorten(label.replace("…", ""), TITLE_CHARACTERS));
  return {
    type: "modal",
    callback_id: "decide",
    private_metadata: JSON.stringify(value),
    title,
    submit: title,
    close: plain("Close"),
    blocks: [{ type: "section", text: plain(about) }, ...inputs],
  };
}

/** Slack takes so many characters of a modal's title and button. */
const TITLE_CHARACTERS = 24;

const plain = (text: string): PlainTextElement => ({ type: "plain_text", text, emoji: false });
