/** What Slack sends when a member presses a button or sends a modal, and the modals. Pure. */
import type { InputBlock, ModalView, PlainTextElement } from "@slack/web-api";
import { z } from "zod";
import { shorten } from "../../text/labels.ts";
import {
  type Asking,
  pressOfWindow,
  pressValueSchema,
  REASON_CHARACTERS,
  type StoredPress,
  type WindowField,
} from "../channel/press-schema.ts";

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
    const value = pressValueSchema.safeParse(jsonOf(action?.value ?? "")).data;
    const { channel_id: channel, message_ts: ts } = sent.container;
    return { ...by, press: value ? { ...value, channel, ts, reason: null, typed: null, triggerId } : null };
  }
  const typed = Object.entries(sent.view.state.values).map(([block, { [VALUE]: its }]): [string, string] => [
    block,
    its?.selected_option?.value ?? its?.selected_date ?? its?.value ?? "",
  ]);
  const press = pressOfWindow(jsonOf(sent.view.private_metadata), Object.fromEntries(typed));
  return { ...by, press: press && { ...press, triggerId } };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The one element in each block of a modal. */
const VALUE = "value";

export function modalOf({ button, value, about, fields }: Asking): ModalView {
  const title = plain(shorten(button.label.replace("…", ""), TITLE_CHARACTERS));
  return {
    type: "modal",
    callback_id: "decide",
    private_metadata: JSON.stringify(value),
    title,
    submit: title,
    close: plain("Close"),
    blocks: [{ type: "section", text: plain(about) }, ...fields.map(inputOf)],
  };
}

const inputOf = (field: WindowField): InputBlock => ({
  type: "input",
  block_id: field.id,
  optional: !field.required,
  label: plain(field.label),
  element: elementOf(field),
});

function elementOf({ kind, value }: WindowField): InputBlock["element"] {
  switch (kind) {
    case "yes or no": {
      const option = (each: string) => ({ text: plain(each), value: each });
      return {
        type: "static_select",
        action_id: VALUE,
        options: [option("true"), option("false")],
        initial_option: option(value),
      };
    }
    case "number":
      return { type: "number_input", action_id: VALUE, is_decimal_allowed: true, initial_value: value };
    case "date":
      return { type: "datepicker", action_id: VALUE, initial_date: value };
    case "text":
      return { type: "plain_text_input", action_id: VALUE, initial_value: value };
    case "long text":
      return { type: "plain_text_input", action_id: VALUE, multiline: true, max_length: REASON_CHARACTERS };
  }
}

/** Slack takes so many characters of a modal's title and button. */
const TITLE_CHARACTERS = 24;

const plain = (text: string): PlainTextElement => ({ type: "plain_text", text, emoji: false });
