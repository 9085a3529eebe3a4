"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Textarea } from "@/components/ui/input.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { ApiError, errorSentence } from "@/lib/api-client/base/client.ts";
import { showSaved } from "@/lib/api-client/base/show-saved.ts";
import { automaticState } from "@/lib/api-client/settings/automatic.ts";
import { policy, policyProposals, policyVersions, savePolicy } from "@/lib/api-client/settings/policy.ts";
import type { SavedPolicy } from "@/lib/policy/schema.ts";
import { Section } from "../section.tsx";
import { AcknowledgeLive } from "./automatic/acknowledge.tsx";
import { lineOf, placeInJson, placeOfMistake } from "./json-place.ts";
import { TryPolicy } from "./replay/try-policy.tsx";

/** A mistake, and where it is in the text. */
interface Mistake {
  message: string;
  field: string;
  at: number;
}

/**
 * The policy as JSON. One press saves all of it, or proposes it (`isProposed`) to another admin, over the version that it was read at. A newer one that arrives takes the place of
 * a text that nobody has changed here.
 */
export function PolicyEditor({ current, isProposed }: { current: SavedPolicy; isProposed: boolean }) {
  const client = useQueryClient();
  const [saved, setSaved] = useState(current);
  const [text, setText] = useState(() => textOf(current));
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const box = useRef<HTMLTextAreaElement>(null);
  const [list, help] = [useId(), useId()];
  const isChanged = text !== textOf(saved);
  const isOld = current.version > saved.version;
  const adopt = (version: SavedPolicy) => {
    setSaved(version);
    setText(textOf(version));
    setMistakes([]);
  };
  if (isOld && !isChanged) adopt(current);
  const save = useMutation({
    mutationFn: (given: unknown) => savePolicy(saved.version, given),
    onSuccess: async (now) => {
      if ("proposalId" in now) {
        adopt(saved);
        await client.invalidateQueries({ queryKey: policyProposals().queryKey });
        toast("Proposed. It counts once another admin approves it");
        return;
      }
      adopt(now);
      await showSaved(client, policy().queryKey, now);
      void client.invalidateQueries({ queryKey: policyVersions().queryKey });
      void client.invalidateQueries({ queryKey: automaticState().queryKey });
      toast("Policy saved");
    },
    onError: (error) => setMistakes(mistakesOf(error, text)),
  });
  const press = () => {
    const read = readJson(text);
    if ("mistake" in read) setMistakes([read.mistake]);
    else {
      setMistakes([]);
      save.mutate(read.value);
    }
  };
  const goTo = (at: number) => {
    const end = text.indexOf("\n", at);
    box.current?.focus();
    box.current?.setSelectionRange(at, end === -1 ? text.length : end);
  };
  const insertExample = () => {
    setText(JSON.stringify({ ...saved.policy, rules: [EXAMPLE] }, null, 2));
    box.current?.focus();
  };
  const isOvertaken = isOld || (save.error instanceof ApiError && save.error.code === "version_changed");
  return (
    <Section
      title="Policy"
      description="Who has to agree on which requests. A request goes through the rules from top to bottom; the first one that matches decides. If none matches, any one approver decides."
    >
      <Textarea
        ref={box}
        aria-label="Policy as JSON"
        aria-describedby={mistakes.length > 0 ? `${list} ${help}` : help}
        aria-invalid={mistakes.length > 0 || undefined}
        spellCheck={false}
        rows={24}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          save.reset();
        }}
        className="border-line font-mono text-[13px]"
      />
      <p id={help} className="text-muted text-xs">
        A rule has a <code>name</code>, a condition <code>when</code> in CEL (without one it is about every
        request), and <code>stages</code>, one after the other: who may vote in each, and how many of them
        have to agree. <code>version</code> is that of the format. <code>docs/governance.md</code>, which
        comes with Intray, describes each property and what conditions can use.
      </p>
      {mistakes.length > 0 && (
        <Notice live tone="bad" title="The policy was not saved.">
          <ul id={list} className="flex flex-col gap-1">
            {mistakes.map(({ message, field, at }) => (
              <li key={`${field} ${message}`}>
                <button type="button" className="underline underline-offset-4" onClick={() => goTo(at)}>
                  Line {lineOf(text, at)}
                </button>
                {field && <> · {field}</>}: {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <AcknowledgeLive
        error={save.error}
        policy={valueIn(text)}
        isPending={save.isPending}
        onSave={(given) => save.mutate(given)}
      />
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
        save.error && mistakes.length === 0 && <Notice live tone="bad" title={errorSentence(save.error)} />
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={!isChanged || save.isPending} onClick={press}>
          {save.isPending ? "Saving…" : isProposed ? "Propose policy" : "Save policy"}
        </Button>
        {!isChanged && saved.policy.rules.length === 0 && (
          <Button onClick={insertExample}>Insert an example</Button>
        )}
        {isChanged && (
          <Button variant="ghost" onClick={() => adopt(saved)}>
            Discard changes
          </Button>
        )}
      </div>
      <TryPolicy policy={valueIn(text)} />
    </Section>
  );
}

/** A rule that can be saved wherever there are two approvers. */
const EXAMPLE = {
  name: "Large amounts",
  when: "request.amount != null && request.amount >= 5000.0",
  stages: [{ name: "Approvers", approvers: { roles: ["approver"] }, need: 2 }],
};

function textOf({ policy: its }: SavedPolicy): string {
  return JSON.stringify(its, null, 2);
}

function readJson(text: string): { value: unknown } | { mistake: Mistake } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const { message } = error as Error;
    return {
      mistake: { message: `This is not JSON: ${message}`, field: "", at: placeOfMistake(text, message) },
    };
  }
}

/** Undefined: it is not JSON. */
function valueIn(text: string): unknown {
  const read = readJson(text);
  return "value" in read ? read.value : undefined;
}

function mistakesOf(error: Error, text: string): Mistake[] {
  const errors = error instanceof ApiError ? error.errors : [];
  return errors.map(({ field, message }) => ({ field, message, at: placeInJson(text, field) }));
}
