/** An input request as the API shows it. */
import { z } from "zod";
import { actorSchema, personSchema } from "../access/access-schema.ts";
import { choiceValueSchema, formSchema } from "../mcp/forms/form.ts";
import { connectionStateSchema } from "../servers/connections/connection-schema.ts";
import { eraSchema, pauseSchema } from "../servers/server-schema.ts";
import { gateRuleSchema, progressSchema, taskStateSchema } from "../tasks/task-schema.ts";
import { documentSchema } from "./documents/document-schema.ts";

export const REQUEST_STATES = [
  "open",
  "answered",
  "settled",
  "withdrawn",
  "expired",
  "undeliverable",
] as const;

export const requestStateSchema = z.enum(REQUEST_STATES);
export type RequestState = z.infer<typeof requestStateSchema>;

export const DELIVERY_STATES = [
  "held",
  "pending",
  "sending",
  "accepted",
  "confirmed",
  "undone",
  "failed",
] as const;

export const deliveryStateSchema = z.enum(DELIVERY_STATES);
export type DeliveryState = z.infer<typeof deliveryStateSchema>;

export const actionSchema = z.enum(["accept", "decline", "cancel"]);
export type Action = z.infer<typeof actionSchema>;

const content = z.record(z.string(), z.unknown());

const timestamp = z.iso.datetime();

/** A half-filled answer; never sent. */
const draftSchema = z.object({ content, comment: z.string().nullable(), savedAt: timestamp });
export type Draft = z.infer<typeof draftSchema>;

const deliverySchema = z.object({
  state: deliveryStateSchema,
  attempts: z.number(),
  deliverAfter: timestamp,
  /** When the last attempt began. */
  sentAt: timestamp.nullable(),
  /** The server's last 2xx. Null when `confirmed`: its reply was lost (`inDoubt`), or nothing was sent. */
  acceptedAt: timestamp.nullable(),
  confirmedAt: timestamp.nullable(),
  flagged: z.boolean(),
  /** An attempt may have reached the server, and its reply never came. */
  inDoubt: z.boolean(),
  /** Since when the answer waits for the server. */
  waitingSince: timestamp.nullable(),
  /**
   * `question`: the server no longer puts its question, so that the answer can't be sent. `fetch`: the server put it as a
   * task, and has not fetched the answer yet. Null: the answer waits for nothing.
   */
  waitingFor: z.enum(["question", "fetch"]).nullable(),
  error: z.string().nullable(),
});

export const answerSchema = z.object({
  action: actionSchema,
  content: content.nullable(),
  comment: z.string().nullable(),
  /** A decline that asks for another request, as `comment` says. */
  revise: z.boolean(),
  /** What was decided, in words: `Approved`, or the pressed choice, `Answered “Keep the file: No”`. */
  words: z.string(),
  by: actorSchema,
  at: timestamp,
});

const voteSchema = z.object({
  by: actorSchema,
  /** The user whose vote it is: `by`, who made that key, or `onBehalfOf`. */
  person: z.string(),
  /** Who is away, and for whom `by` voted: neither has another vote in the stage. */
  onBehalfOf: personSchema.nullable(),
  action: actionSchema,
  /** A decline that asks for another request, as `comment` says. */
  revise: z.boolean(),
  /** False: it is a rejection, by `decline` or by the form's own no. */
  agrees: z.boolean(),
  comment: z.string().nullable(),
  at: timestamp,
});

/** A member who is away, and until when. */
export const awayPersonSchema = personSchema.extend({ until: timestamp });

/** Several people have to agree: by which rule, in which stages, and who did. */
const approvalStatusSchema = z.object({
  rule: z.string(),
  /** Of the policy, under which the request was asked. */
  version: z.number(),
  /** How soon people should have decided, by the rule. Nothing happens then. */
  dueAt: timestamp.nullable(),
  /** When the rule's time was over, undecided: nobody is reminded any more. Null: it is not. */
  lapsedAt: timestamp.nullable(),
  /** What happens by itself if nobody decides, the next first. `stage`: its name; null: to the whole request. */
  timers: z.array(
    z.object({
      kind: z.enum(["remind", "escalate", "leave", "cancel"]),
      stage: z.string().nullable(),
      at: timestamp,
    }),
  ),
  /** Rules that could not be applied to this request, and count as if they had matched. */
  failed: z.array(z.object({ rule: z.string(), why: z.string() })),
  stages: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["waiting", "open", "done"]),
      need: z.number(),
      rejections: z.number(),
      stepUp: z.boolean(),
      requireReason: z.array(z.string()),
      votes: z.array(voteSchema),
      /** How many persons have still to agree. */
      missing: z.number(),
      /** Groups of the organization whose members vote here, by the names in the policy. */
      groups: z.array(z.string()),
      /** How many members could still vote, where those are fewer than are missing: people have left. Null: there are enough. */
      tooFew: z.number().nullable(),
      /** Who was reminded, and who was asked too, by name: at most 20 each time. */
      reminded: z.array(z.object({ at: timestamp, of: z.array(z.string()) })),
      escalated: z.array(z.object({ at: timestamp, to: z.array(z.string()) })),
    }),
  ),
  /** What those who agreed agreed to; null if nobody has, or if the form has nothing to fill in. */
  content: content.nullable(),
  /** Whether who asked for the task may vote, and whether the caller did, or counts as one person with who did. */
  requester: z.enum(["excluded", "allowed"]),
  hasAsked: z.boolean(),
  /** The caller has a vote now. */
  canVote: z.boolean(),
  /** `approver`: the open stage is the caller's. Else the code with which a vote would be refused; `not_open`: nobody votes. */
  why: z.enum([
    "approver",
    "already_voted",
    "not_an_approver",
    "four_eyes",
    "forbidden",
    "step_up_required",
    "not_open",
  ]),
  /** Who is away, until when, and for whom the caller votes now. Null: the vote is the caller's own. */
  votesFor: awayPersonSchema.nullable(),
  /** Who is away of those whom the open stage still asks. */
  away: z.array(awayPersonSchema),
  /** The caller's own vote. */
  mine: z
    .object({
      stage: z.string(),
      action: actionSchema,
      agrees: z.boolean(),
      at: timestamp,
      canTakeBack: z.boolean(),
    })
    .nullable(),
});

/** Who asked for what is missing, and whom: the member behind the task. */
export const needsInfoSchema = z.object({ by: personSchema, of: personSchema, at: timestamp });

/** The amount of money of a request. `currency`: an ISO code or a sign, as sent; null if none was sent. */
export const amountSchema = z.object({ value: z.number(), currency: z.string().nullable() });
export type Amount = z.infer<typeof amountSchema>;

/** Why the caller sees a request. `organization`: it is open to everybody there who may answer. */
const seenBecauseSchema = z.enum(["assigned", "claimed", "requester", "organization"]);
export type SeenBecause = z.infer<typeof seenBecauseSchema>;

/**
 * `destructive`: the answer may destroy something. `sum_differs`, `currency_differs`: figures of the call
 * contradict each other or the message. `overdue`: something was due more than 90 days ago.
 */
export const requestWarningSchema = z.enum(["destructive", "sum_differs", "currency_differs", "overdue"]);
export type RequestWarning = z.infer<typeof requestWarningSchema>;

export const inputRequestSchema = z.object({
  id: z.uuid(),
  state: requestStateSchema,
  taskId: z.uuid(),
  server: z.object({ id: z.uuid(), name: z.string() }),
  tool: z.string(),
  /** The task's short name, taken from the arguments. */
  label: z.string().nullable(),
  /** Who the call is about, as its arguments name them, e.g. `ACME Corp`. */
  party: z.string().nullable(),
  mode: z.enum(["form", "url"]),
  /** Whose question it is: the server's, which gets the answer, or Intray's own. */
  origin: z.enum(["server", "intray"]),
  /** The question is an approval in front of the call, by this rule; null: it is none. */
  gate: z.object({ rule: gateRuleSchema.nullable() }).nullable(),
  /** In lists at most MESSAGE_IN_LISTS characters; a longer one ends with “…” there. */
  message: z.string(),
  /** The hash that an answer binds to. */
  questionHash: z.string(),
  /** The actions that an answer may have: only `accept` where a question has nothing but its choices. */
  actions: z.array(actionSchema),
  amount: amountSchema.nullable(),
  /** What a person should see before accepting. */
  warnings: z.array(requestWarningSchema),
  /** Equal for requests that may be answered together: same form, server and tool. Null: one by one only. */
  alike: z.string().nullable(),
  seenBecause: seenBecauseSchema,
  requestedBy: actorSchema,
  assignedTo: personSchema.nullable(),
  /** `assignedTo`, while they are away and the caller stands in for them. */
  standsInFor: awayPersonSchema.nullable(),
  /** `until`: when the claim ends unless its holder is active again. */
  claimedBy: personSchema.extend({ at: timestamp, until: timestamp }).nullable(),
  createdAt: timestamp,
  /** When it was decided, or ended without a decision. Null: it is open. */
  decidedAt: timestamp.nullable(),
  expiresAt: timestamp.nullable(),
  /** The server put the same question again after an answer was confirmed. */
  askedAgain: z.boolean(),
  /** When this text was read, where the server changes the text again and again. Null: the text stands. */
  rewordedAt: timestamp.nullable(),
  /**
   * `cancelRequestedAt`: a task that is being cancelled takes no answers. `fetchedAt`: when the agent took the result of the task, of
   * a question of Intray's own; null: it has not, or no agent made the call.
   */
  task: z.object({ cancelRequestedAt: timestamp.nullable(), fetchedAt: timestamp.nullable() }),
  /** The only user who may open the site of a URL question and accept it. Null: everybody who may answer. */
  urlOwner: personSchema.nullable(),
  /** The caller asked for the task, and another person has to accept. */
  fourEyes: z.boolean(),
  /** Null: any one approver decides. */
  approval: approvalStatusSchema.nullable(),
  /** How many comments it has. */
  comments: z.number(),
  /** It waits for the task's requester, and can be decided all the same. Null: nothing is missing. */
  needsInfo: needsInfoSchema.nullable(),
  /** Until when the caller has put it off for themselves. Null: they have not. */
  snoozedUntil: timestamp.nullable(),
  answer: answerSchema.nullable(),
  delivery: deliverySchema.nullable(),
});
export type InputRequestSummary = z.infer<typeof inputRequestSchema>;

/** An earlier request, and how a person asked to revise it. */
const revisionSchema = z.object({
  id: z.uuid(),
  message: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  comment: z.string(),
  by: actorSchema,
  at: timestamp,
});
export type Revision = z.infer<typeof revisionSchema>;

export const inputRequestDetailSchema = inputRequestSchema.extend({
  server: inputRequestSchema.shape.server.extend({
    /** While a pause lasts, answers wait. */
    pause: pauseSchema.nullable(),
    /** The time after which the server was seen to take questions back by itself. Null: unknown. */
    questionLifetimeMs: z.number().nullable(),
  }),
  /** What was asked about. */
  arguments: z.record(z.string(), z.unknown()),
  /** An approval may have the content `{arguments}`: the call is made with these instead. */
  editable: z.boolean(),
  /** What the server says of the process, of a recipe's question that has them. Untrusted. */
  details: z.record(z.string(), z.unknown()).nullable(),
  era: eraSchema.nullable(),
  /** The server's requestedSchema as received. */
  schema: z.unknown(),
  fields: formSchema,
  /**
   * How the form itself says no and nothing else: `content` is the answer, `reasonField` the field for a reason. Null: it has no
   * such choice.
   */
  rejection: z.object({ label: z.string(), content, reasonField: z.string().nullable() }).nullable(),
  /** The choices that clearly do nothing, by the values that they send: they need no second look. */
  harmless: z.array(choiceValueSchema),
  /** Of the site to open: the whole address for people who may open it, for others scheme and host alone. */
  url: z.string().nullable(),
  /** The question that this one replaced, for showing the difference. */
  previous: z.object({ message: z.string(), schema: z.unknown(), url: z.string().nullable() }).nullable(),
  /** The agent's earlier requests that people asked to revise, of which this one came: oldest first, at most 5. */
  revisions: z.array(revisionSchema),
  /** The caller's own draft. */
  draft: draftSchema.nullable(),
  /** Who gave the request to `assignedTo`, and their note; null if nobody did. */
  assignment: z.object({ by: actorSchema, at: timestamp, note: z.string().nullable() }).nullable(),
  /** Why a request that is no longer open ended, e.g. `replaced`, `task_ended`, `task_cancelled`. */
  endedReason: z.string().nullable(),
  task: inputRequestSchema.shape.task.extend({
    state: taskStateSchema,
    statusMessage: z.string().nullable(),
    expiresAt: timestamp.nullable(),
    progress: progressSchema.nullable(),
    durable: z.boolean(),
    adopted: z.boolean(),
  }),
  /** The user in whose name the answer is sent. Null: the organization's shared connection. */
  connectionOwner: personSchema.nullable(),
  /** Whether the answer can be sent now; otherwise it waits for a new sign-in. */
  connectionState: connectionStateSchema,
  /** The tool's own untrusted claim; null if unknown. */
  destructive: z.boolean().nullable(),
  /** A second person has to accept: not the person who asked for the task, nor anybody who counts as one person with them. */
  secondPerson: z.boolean(),
  /**
   * Who could still agree in the open stage: the first three by name, and how many, up to 100. Null: any one member decides, the
   * request is not open, or the caller may not find people.
   */
  voters: z.object({ people: z.array(personSchema), count: z.number() }).nullable(),
  /** Only an admin approves calls like it for a while: the tool does not say that it destroys nothing. */
  standingNeedsAdmin: z.boolean(),
  /** Of the arguments and the message. `mayHaveMore`: results may bring others, which GET …/documents lists. */
  documents: z.object({ items: z.array(documentSchema), mayHaveMore: z.boolean() }),
});
export type InputRequestDetail = z.infer<typeof inputRequestDetailSchema>;
