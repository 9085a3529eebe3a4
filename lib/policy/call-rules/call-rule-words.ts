/** Words for rules for calls, and for policies. */
import type { Before } from "../../agents/agent-schema.ts";
import { quoted } from "../../text/foreign/quoted.ts";
import { plural, shorten } from "../../text/labels.ts";
import type { Rules } from "../conditions/vocabulary.ts";
import type { Verdict } from "./call-rule-schema.ts";

/** What a rule or a grant says of a call. */
export const BEFORE_LABELS: Record<Before, string> = {
  allow: "Allow",
  ask: "Require approval",
  deny: "Deny",
};

/**
 * Why a call is asked about, or denied. Why a rule could not be applied stands in quotation marks: it may name an argument, whose name the
 * caller chose.
 */
export function verdictWords({ before, rule, why, failure }: Verdict): string {
  const does = before === "deny" ? "does not allow this call" : "requires an approval first";
  if (why === "tool_changed") return "The server has changed this tool since it was granted to the agent.";
  if (why === "rule_failed")
    return `The rule ${quoted(rule?.name ?? "")} can’t be applied to this call: ${quoted(shorten(failure ?? "", 120))}.`;
  return rule ? `The rule ${quoted(rule.name)} ${does}.` : `The agent’s grant ${does}.`;
}

/** Warnings that are said of one rule. */
const MOST_WARNINGS = 5;

/** What a rule is warned of, each once; of many the first, and how many there are besides. */
export function warningWords(warnings: { message: string }[]): string[] {
  const all = [...new Set(warnings.map(({ message }) => message))];
  const more = all.length - MOST_WARNINGS;
  return more > 0 ? [...all.slice(0, MOST_WARNINGS), `And ${more} more like these`] : all;
}

/** What a line of the history says of a change of the rules. The line's data may be of another version. */
export function callRuleChanges(data: Record<string, unknown>): string {
  const changes = [
    ...named(data.added).map(({ name, rule }) => `Added ${called(name)}: ${inWords(rule)}`),
    ...named(data.removed).map(({ name, rule }) => `Removed ${called(name)}: ${inWords(rule)}`),
    ...named(data.changed).map(
      ({ name, rule }) => `Changed ${called(name)}: ${movement(rule.from, rule.to)}`,
    ),
    ...(Array.isArray(data.order) ? ["Changed the order of the rules"] : []),
  ];
  return changes.join("\n");
}

/** Says a condition in CEL. */
type SayCondition = (condition: string, rules: Rules) => string;

const IN_CEL: SayCondition = (condition) => condition;

/** What a line of the history says of a change of the policy. The line's data may be of another version. */
export function policyChanges(data: Record<string, unknown>, say = IN_CEL): string {
  const changes = [
    ...named(data.added).map(({ name, rule }) => `Added ${called(name)}: ${policyRuleInWords(rule, say)}`),
    ...named(data.removed).map(
      ({ name, rule }) => `Removed ${called(name)}: ${policyRuleInWords(rule, say)}`,
    ),
    ...named(data.changed).map(
      ({ name, rule }) => `Changed ${called(name)}: ${policyMovement(rule.from, rule.to, say)}`,
    ),
    ...named(data.groups).map(
      ({ name, rule }) => `Group ${called(name)}: ${movedPeople(rule.from, rule.to)}`,
    ),
    ...(isList(data.order) ? [`Order of the rules: ${data.order.map(called).join(", ")}`] : []),
    ...(isFields(data.automatic) ? automaticChanges(data.automatic, say) : []),
    ...(isList(data.others) ? [`Now means somebody else: ${data.others.join(", ")}`] : []),
    ...(isFields(data.tests) ? [`Changed the tests: ${data.tests.from} → ${data.tests.to}`] : []),
  ];
  return changes.join("\n");
}

/** Of the rules that answer without a person. */
function automaticChanges(data: Fields, say: SayCondition): string[] {
  return [
    ...named(data.added).map(
      ({ name, rule }) => `Added the automatic rule ${called(name)}: ${automaticInWords(rule, say)}`,
    ),
    ...named(data.removed).map(({ name }) => `Removed the automatic rule ${called(name)}`),
    ...named(data.changed).map(
      ({ name, rule }) =>
        `Changed the automatic rule ${called(name)}: ${automaticMovement(rule.from, rule.to, say)}`,
    ),
    ...(isList(data.order) ? [`Order of the automatic rules: ${data.order.map(called).join(", ")}`] : []),
  ];
}

function automaticInWords({ when, answer, mode, dailyCap, sample }: Fields, say: SayCondition): string {
  return [
    ...[String(mode), `answers ${answerInWords(answer)}`, `when ${said(when, "automatic", say)}`],
    ...[`at most ${String(dailyCap)} a day`, `${share(sample)} go to people`],
  ].join(", ");
}

function automaticMovement(from: unknown, to: unknown, say: SayCondition): string {
  const [was, is] = [isFields(from) ? from : {}, isFields(to) ? to : {}];
  return [
    ...("mode" in is ? [`${String(was.mode)} → ${String(is.mode)}`] : []),
    ...("when" in is
      ? [`when ${said(was.when, "automatic", say)} → ${said(is.when, "automatic", say)}`]
      : []),
    ...("answer" in is ? [`answers ${answerInWords(was.answer)} → ${answerInWords(is.answer)}`] : []),
    ...("dailyCap" in is
      ? [`at most ${String(was.dailyCap)} a day → at most ${String(is.dailyCap)} a day`]
      : []),
    ...("sample" in is ? [`${share(was.sample)} → ${share(is.sample)} go to people`] : []),
  ].join("; ");
}

function answerInWords(answer: unknown): string {
  const { action, content } = isFields(answer) ? answer : {};
  return isFields(content)
    ? `${String(action)} ${shorten(JSON.stringify(content), MOST_CHARACTERS)}`
    : String(action);
}

function share(sample: unknown): string {
  return typeof sample === "number" ? `${Number((sample * 100).toFixed(2))} %` : "some";
}

type Fields = Record<string, unknown>;

/** More than any list of people or content of an answer has: what is approved is read whole. */
const MOST_CHARACTERS = 100_000;

/** A name that somebody gave, as nothing but a name. */
const called = (name: unknown) => quoted(shorten(String(name), 100));

/** CEL on one line: a line of its own would read as another change. */
const onOneLine = (condition: string) => condition.replace(/[\n\r\u0085\u2028\u2029]+/g, " ⏎ ");

function named(list: unknown): { name: string; rule: Fields }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((rule: unknown) =>
    isFields(rule) && typeof rule.name === "string" ? [{ name: shorten(rule.name, 100), rule }] : [],
  );
}

function inWords(rule: Fields): string {
  const scope = typeof rule.when === "string" ? `, when ${onOneLine(shorten(rule.when, 200))}` : "";
  return `${beforeOf(rule.before)}${scope}`;
}

function movement(from: unknown, to: unknown): string {
  const [was, is] = [isFields(from) ? from : {}, isFields(to) ? to : {}];
  const parts = [
    ...("before" in is ? [`${beforeOf(was.before)} → ${beforeOf(is.before)}`] : []),
    ...("when" in is ? [`when ${condition(was.when)} → ${condition(is.when)}`] : []),
    ...("servers" in is ? ["other servers"] : []),
    ...("tools" in is ? ["other tools"] : []),
  ];
  return parts.join("; ");
}

function beforeOf(before: unknown): string {
  return typeof before === "string" && Object.hasOwn(BEFORE_LABELS, before)
    ? BEFORE_LABELS[before as Before]
    : "another decision";
}

function condition(when: unknown): string {
  return typeof when === "string" ? onOneLine(shorten(when, 200)) : "always";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** All of a rule, since whoever approves a change has to see what it is. */
function policyRuleInWords(
  { stages: list, when, requester, due, expire }: Fields,
  say: SayCondition,
): string {
  return [
    stages(list),
    ...(typeof when === "string" ? [`when ${said(when, "policy", say)}`] : []),
    ...(requester === "allowed" ? ["the requester may vote"] : []),
    ...(typeof due === "string" ? [`due ${due}`] : []),
    ...(isFields(expire) ? [`its time is over ${end(expire)}`] : []),
  ].join(", ");
}

function policyMovement(from: unknown, to: unknown, say: SayCondition): string {
  const [was, is] = [isFields(from) ? from : {}, isFields(to) ? to : {}];
  return [
    ...("stages" in is ? [`${stages(was.stages)} → ${stages(is.stages)}`] : []),
    ...("when" in is ? [`when ${said(was.when, "policy", say)} → ${said(is.when, "policy", say)}`] : []),
    ...("requester" in is ? [`the requester is ${is.requester === "allowed" ? "allowed" : "excluded"}`] : []),
    ...("due" in is ? [`due ${due(was.due)} → ${due(is.due)}`] : []),
    ...("expire" in is ? [`its time is over ${end(was.expire)} → ${end(is.expire)}`] : []),
  ].join("; ");
}

/** A condition as long as conditions may be. */
function said(when: unknown, rules: Rules, say: SayCondition): string {
  return typeof when === "string" ? onOneLine(say(shorten(when, 2_000), rules)) : "always";
}

function stages(list: unknown): string {
  if (!Array.isArray(list)) return "other stages";
  return list.map((stage: unknown) => (isFields(stage) ? stageInWords(stage) : "a stage")).join(", then ");
}

/** `2 of “Finance” (group “finance”)`; `2 approvers` of the stage that a new rule has. */
function stageInWords({ name, need, ...others }: Fields): string {
  const details = detailsOf(others);
  if (name === "Approvers" && details === "the approvers" && typeof need === "number")
    return plural(need, "approver");
  return `${String(need)} of ${called(name)} (${details})`;
}

/** `group cfo; 2 rejections end it; reminded after 4h, 1d` */
function detailsOf({ approvers, rejections, stepUp, requireReason, remind, escalate }: Fields): string {
  return [
    approversInWords(approvers),
    ...(typeof rejections === "number" && rejections > 1 ? [`${rejections} rejections end it`] : []),
    ...(stepUp === true ? ["each shows that it is them"] : []),
    ...(isList(requireReason) ? [`reason to ${requireReason.join(" and ")}`] : []),
    ...(isList(remind) ? [`reminded after ${remind.join(", ")}`] : []),
    ...(isFields(escalate)
      ? [`after ${String(escalate.after)} asked too: ${approversInWords(escalate.to)}`]
      : []),
  ].join("; ");
}

function approversInWords(approvers: unknown): string {
  const { roles, groups, people } = isFields(approvers) ? approvers : {};
  const all = [
    ...(isList(roles) ? roles.map((role) => `the ${String(role)}s`) : []),
    ...(isList(groups) ? groups.map((group) => `group ${called(group)}`) : []),
    ...(isList(people) ? people.map(String) : []),
  ];
  return shorten(all.join(", "), MOST_CHARACTERS) || "nobody";
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function end(value: unknown): string {
  if (!isFields(value)) return "never";
  return `after ${String(value.after)}${value.then === "cancel" ? ", then the task is cancelled" : ""}`;
}

function due(value: unknown): string {
  return typeof value === "string" ? value : "never";
}

/** `Added: a@acme.example; removed: b@acme.example` */
function movedPeople(from: unknown, to: unknown): string {
  const [was, is] = [from, to].map((list) => (Array.isArray(list) ? list.map(String) : null));
  if (!was || !is) return `${people(was)} → ${people(is)}`;
  const [came, went] = [is.filter((each) => !was.includes(each)), was.filter((each) => !is.includes(each))];
  const moved = [
    ...(came.length > 0 ? [`added: ${people(came)}`] : []),
    ...(went.length > 0 ? [`removed: ${people(went)}`] : []),
  ];
  return moved.join("; ") || "another order";
}

function people(list: string[] | null | undefined): string {
  return list ? shorten(list.join(", "), MOST_CHARACTERS) || "nobody" : "none in the policy";
}
