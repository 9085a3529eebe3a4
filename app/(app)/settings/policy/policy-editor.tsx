"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { SavedPolicy, ShownPolicy } from "@/lib/policy/policy-schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { ApiError, errorSentence } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import {
  automaticState,
  policy,
  policyCheck,
  policyDeciders,
  policyProposals,
  policyVersions,
  savePolicy,
} from "@/lib/web/client/settings/policy.ts";
import { SaveBar, Section } from "../section.tsx";
import { Segments } from "../segments.tsx";
import { AcknowledgeLive } from "./automatic/acknowledge.tsx";
import { PeopleWarnings } from "./deciders-table.tsx";
import { focusOn } from "./form/ordered-list.tsx";
import { PolicyForm } from "./form/policy-form.tsx";
import { type Problem, UnreadableOf, useUnreadable } from "./form/problems.tsx";
import { TriedPolicy, TryButton } from "./replay/try-policy.tsx";
import { useReplay } from "./replay/use-replay.ts";
import { lineOf } from "./text/json-place.ts";
import { TextPane } from "./text/text-pane.tsx";
import { usePolicyText, type Written } from "./use-policy-text.ts";

/** How long nothing is typed before the server is asked what is wrong. */
const SETTLED_MS = 400;

/**
 * The policy as a form and as text, each of which follows the other. One press saves all of it, or proposes it (`isProposed`) to
 * another admin, over the version that it was read at. A newer one that arrives takes the place of what nobody has changed here.
 * `restored`: an earlier version, to be edited as a draft.
 */
export function PolicyEditor({
  current,
  isProposed,
  restored,
}: {
  current: SavedPolicy;
  isProposed: boolean;
  restored: { policy: ShownPolicy } | null;
}) {
  const client = useQueryClient();
  const [saved, setSaved] = useState(current);
  const written = usePolicyText(saved.policy);
  const { text, format, value, draft, mistake, isChanged } = written;
  const [pane, setPane] = useState<"Both" | "Form" | "Text">("Both");
  const [open, setOpen] = useState<string | null>(null);
  const [ledTo, setLedTo] = useState<string | null>(null);
  const unreadable = useUnreadable();
  /** Counts how often what is typed in the form was dropped. */
  const [dropped, setDropped] = useState(0);
  /** What was written here before an earlier version took its place. */
  const [replaced, setReplaced] = useState<Written | null>(null);
  const replay = useReplay();
  const box = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const isOld = current.version > saved.version;
  const adopt = (version: SavedPolicy) => {
    setSaved(version);
    setReplaced(null);
    written.setValue(version.policy);
  };
  if (isOld && !isChanged) adopt(current);
  const [seen, setSeen] = useState(restored);
  if (seen !== restored) {
    setSeen(restored);
    if (restored) {
      setReplaced(isChanged ? written.written : null);
      setDropped(dropped + 1);
      written.setValue(restored.policy);
    }
  }
  const settled = useSettled(isChanged && draft ? JSON.stringify(value) : null);
  const check = useQuery({
    ...policyCheck(settled ?? ""),
    enabled: settled !== null,
    placeholderData: (before) => before,
  });
  const save = useMutation({
    mutationFn: ({ policy: given, acknowledge }: { policy: object; acknowledge?: string[] }) =>
      savePolicy(saved.version, given, acknowledge),
    onSuccess: async (now) => {
      if ("proposalId" in now) {
        adopt(saved);
        await client.invalidateQueries({ queryKey: policyProposals().queryKey });
        toast("Proposed. It takes effect once another admin approves it");
        return;
      }
      adopt(now);
      await showSaved(client, policy().queryKey, now);
      void client.invalidateQueries({ queryKey: policyVersions().queryKey });
      void client.invalidateQueries({ queryKey: policyDeciders().queryKey });
      void client.invalidateQueries({ queryKey: automaticState().queryKey });
      toast("Policy saved");
    },
  });
  const change = (write: () => void) => {
    write();
    save.reset();
    setLedTo(null);
  };
  const refused = save.error instanceof ApiError ? save.error.errors : [];
  const ofPolicy: Problem[] = mistake
    ? [mistake]
    : !isChanged
      ? []
      : refused.length > 0
        ? refused
        : (check.data?.problems ?? []);
  const { unread } = unreadable;
  const problems = [...unread, ...ofPolicy];
  const isUnread = unread.length > 0;
  const warnings = isChanged && problems.length === 0 ? (check.data?.warnings ?? []) : [];
  const savable = draft && !isUnread ? (value as object) : null;
  const isOvertaken = isOld || (save.error instanceof ApiError && save.error.code === "version_changed");
  const goToLine = (at: number) => {
    if (!box.current?.checkVisibility()) setPane("Text");
    const end = text.indexOf("\n", at);
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(at, end === -1 ? text.length : end);
    });
  };
  const goToField = (field: string) => {
    if (pane === "Text") setPane("Form");
    setOpen(itemOf(field, Object.keys(draft?.groups ?? {})));
    setLedTo(field);
    requestAnimationFrame(() => focusOn(nearestId(field)));
  };
  const place = ({ field }: Problem) => mistake?.at ?? written.placeOf(field);
  return (
    <Section
      title="Policy"
      description="Who has to agree on which requests. A request goes through the rules from top to bottom; the first one that matches decides. If none matches, any one member decides, except viewers."
      action={
        <>
          <Segments
            label="Show as"
            value={pane === "Text" ? "Text" : "Form"}
            options={["Form", "Text"]}
            onChange={setPane}
            className={NARROW}
          />
          <Segments
            label="Show as"
            value={pane}
            options={["Both", "Form", "Text"]}
            onChange={setPane}
            className={WIDE_ONLY}
          />
        </>
      }
    >
      {/* What is typed while it is saved would be neither in it nor here afterwards. */}
      <div className="flex min-w-0 gap-6" inert={save.isPending}>
        <div className={cn("min-w-0 flex-1", pane === "Text" && "hidden")}>
          {draft ? (
            <UnreadableOf note={unreadable.note}>
              <PolicyForm
                key={dropped}
                draft={draft}
                problems={ofPolicy}
                open={open}
                ledTo={ledTo}
                onOpen={setOpen}
                onChange={(now) => change(() => written.setValue(now))}
              />
            </UnreadableOf>
          ) : (
            <p className="text-[13px] text-muted">The form returns once the text can be read.</p>
          )}
        </div>
        <div
          className={cn(
            "min-w-0 flex-1",
            pane === "Form" ? "hidden" : "flex",
            pane === "Both" && [BESIDE, WIDE_ONLY],
          )}
        >
          <TextPane
            box={box}
            text={text}
            format={format}
            describedBy={ofPolicy.length > 0 ? list : undefined}
            isWrong={ofPolicy.length > 0}
            onChange={(now) => change(() => written.setText(now))}
            onFormat={(now) => void written.setFormat(now)}
          />
        </div>
      </div>
      {problems.length > 0 && (
        <Notice
          live={refused.length > 0}
          tone="bad"
          title={refused.length > 0 ? "The policy was not saved." : "The policy can’t be saved like this."}
        >
          <ul id={list} className="flex flex-col gap-1">
            {problems.map((problem) => (
              <li key={`${problem.field} ${problem.message}`} className="break-words">
                {!unread.includes(problem) && (
                  <button
                    type="button"
                    className="underline underline-offset-4"
                    onClick={() => goToLine(place(problem))}
                  >
                    Line {lineOf(text, place(problem))}
                  </button>
                )}
                {draft && problem.field && (
                  <>
                    {!unread.includes(problem) && " · "}
                    <button
                      type="button"
                      className="underline underline-offset-4"
                      onClick={() => goToField(problem.field)}
                    >
                      {problem.field}
                    </button>
                  </>
                )}
                : <PlainText text={problem.message} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <AcknowledgeLive
        error={isUnread ? null : save.error}
        policy={value}
        isPending={save.isPending}
        onSave={(acknowledge) => savable && save.mutate({ policy: savable, acknowledge })}
      />
      {replaced && (
        <Notice
          live
          title="The earlier version replaced changes that you had not saved."
          action={
            <Button
              disabled={save.isPending}
              onClick={() => {
                change(() => written.setWritten(replaced));
                setReplaced(null);
                setDropped((times) => times + 1);
              }}
            >
              Bring them back
            </Button>
          }
        />
      )}
      {isOvertaken ? (
        <Notice
          live
          tone="bad"
          title="Somebody has changed the policy meanwhile."
          action={
            <Button
              onClick={() =>
                void client.fetchQuery({ ...policy(), staleTime: 0 }).then((now) => {
                  adopt(now);
                  save.reset();
                  setDropped((times) => times + 1);
                })
              }
            >
              Load the current policy
            </Button>
          }
        >
          <p>Loading it discards your changes.</p>
        </Notice>
      ) : (
        save.error && refused.length === 0 && <Notice live tone="bad" title={errorSentence(save.error)} />
      )}
      <SaveBar
        isChanged={isChanged || isUnread}
        above={
          <>
            <TriedPolicy policy={value} replay={replay} />
            {warnings.length > 0 && <PeopleWarnings warnings={warnings} onGo={goToField} />}
          </>
        }
      >
        <Button
          variant="primary"
          disabled={!isChanged || !savable || save.isPending}
          onClick={() => savable && save.mutate({ policy: savable })}
        >
          {save.isPending ? "Saving…" : isProposed ? "Propose policy" : "Save policy"}
        </Button>
        {(isChanged || isUnread) && (
          <Button
            variant="ghost"
            disabled={save.isPending}
            onClick={() => {
              change(() => written.setValue(saved.policy));
              setDropped((times) => times + 1);
            }}
          >
            Discard changes
          </Button>
        )}
        {problems.length > 0 && (
          <Button
            variant="link"
            onClick={() => document.getElementById(list)?.querySelector("button")?.focus()}
          >
            Show {plural(problems.length, "problem")}
          </Button>
        )}
        <TryButton policy={value} replay={replay} />
      </SaveBar>
    </Section>
  );
}

/** From this width on, the text stands beside the form. */
const WIDE_ONLY = "max-[1399px]:hidden";
const NARROW = "min-[1400px]:hidden";
/** The text stays in view while the form beside it scrolls. */
const BESIDE =
  "min-[1400px]:sticky min-[1400px]:top-4 min-[1400px]:h-[calc(100dvh-8rem)] min-[1400px]:self-start";

/** The value once it has not changed for a while. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The item of the form in which a place is. Groups are named in places, and counted in the form. */
function itemOf(field: string, groups: string[]): string | null {
  const [part, name] = field.split(".");
  if (part === "groups") {
    const at = groups.findIndex(
      (group) => field === `groups.${group}` || field.startsWith(`groups.${group}.`),
    );
    return at === -1 ? null : `groups.${at}`;
  }
  return part !== undefined && name !== undefined ? `${part}.${name}` : null;
}

/** The id of the control that shows a place, or of the nearest one around it. Called once the form shows it. */
function nearestId(field: string): string {
  const names = field.split(".");
  for (let length = names.length; length > 0; length--) {
    const place = names.slice(0, length).join(".");
    for (const id of [place, `open-${place}`]) if (document.getElementById(id)) return id;
  }
  return field;
}
