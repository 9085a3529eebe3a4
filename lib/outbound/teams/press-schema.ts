/** What Teams sends when somebody writes to the bot, presses a button or sends a window, and the windows. Pure. */
import type { IAdaptiveCard } from "@microsoft/teams.cards";
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
import { type CardElement, card, plain } from "./message.ts";

const id = z.string().min(1).max(300);

/** Of every activity (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference). */
const activitySchema = z.object({
  type: z.string(),
  id: id.optional(),
  name: z.string().optional(),
  channelId: z.literal("msteams"),
  serviceUrl: z.string().max(500),
  from: z.object({ aadObjectId: z.guid().toLowerCase().optional() }),
  conversation: z.object({ id, conversationType: z.string().optional() }),
  channelData: z.object({ tenant: z.object({ id: z.string() }) }),
  replyToId: id.optional(),
  action: z.string().optional(),
  value: z.unknown().optional(),
});
export type Activity = z.infer<typeof activitySchema>;

/** Null: it is none of Teams'. */
export const readActivity = (body: unknown): Activity | null => activitySchema.safeParse(body).data ?? null;

const executedSchema = z.object({ action: z.object({ data: z.object({ press: pressValueSchema }) }) });
const fetchedSchema = z.object({ data: z.object({ press: pressValueSchema }) });
const submittedSchema = z.object({ data: z.looseObject({ press: z.unknown() }) });

/** What an invoke asks for, by its name. */
export type Asked = "execute" | "fetch" | "submit";
const ASKED: Record<string, Asked> = {
  "adaptiveCard/action": "execute",
  "task/fetch": "fetch",
  "task/submit": "submit",
};

/** The press of an invoke, and how it is answered. Null: nothing is decided. */
export function readPress(activity: Activity): { asked: Asked; press: StoredPress } | null {
  const { type, name = "", value, conversation, replyToId } = activity;
  const asked = type === "invoke" ? ASKED[name] : undefined;
  if (!asked) return null;
  if (asked === "submit") {
    const sent = submittedSchema.safeParse(value).data?.data;
    const press = sent ? pressOfWindow(sent.press, typedIn(sent)) : null;
    // A window of another conversation's is none.
    return press?.channel === conversation.id ? { asked, press } : null;
  }
  const pressed =
    asked === "execute"
      ? executedSchema.safeParse(value).data?.action.data.press
      : fetchedSchema.safeParse(value).data?.data.press;
  if (!pressed || replyToId === undefined) return null;
  const place = { channel: conversation.id, ts: replyToId };
  return { asked, press: { ...pressed, ...place, reason: null, typed: null } };
}

/** Inputs stand beside the data of the button. Teams sends what is empty as no text, or leaves it out. */
function typedIn(sent: Record<string, unknown>): Record<string, string> {
  const { press: _, ...inputs } = sent;
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, String(value ?? "")]));
}

export interface Window {
  title: string;
  card: IAdaptiveCard;
}

export function windowOf({ button, value: press, about, fields }: Asking): Window {
  const title = shorten(button.label.replace("…", ""), TITLE_CHARACTERS);
  const submit = { type: "Action.Submit" as const, title, data: { press } };
  return { title, card: card([plain(about), ...fields.map(inputOf)], [submit]) };
}

/** Teams takes so many characters of a window's title. */
const TITLE_CHARACTERS = 64;

function inputOf({ id: name, label, required, kind, value }: WindowField): CardElement {
  const its = { id: name, label, isRequired: required, ...(required && { errorMessage: "Write something" }) };
  switch (kind) {
    case "yes or no": {
      const choices = ["true", "false"].map((each) => ({ title: each, value: each }));
      return { type: "Input.ChoiceSet", ...its, choices, value };
    }
    case "number":
      return { type: "Input.Number", ...its, value: Number(value) };
    case "date":
      return { type: "Input.Date", ...its, value };
    case "text":
      return { type: "Input.Text", ...its, value };
    case "long text":
      return { type: "Input.Text", ...its, isMultiline: true, maxLength: REASON_CHARACTERS };
  }
}
