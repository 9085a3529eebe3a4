"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { PersonInList } from "@/components/people/person-in-list.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Textarea } from "@/components/ui/field.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type { Person } from "@/lib/access/access-schema.ts";
import { COMMENT_CHARACTERS, MOST_MENTIONS } from "@/lib/requests/limits.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { useTrouble } from "@/lib/web/client/base/use-connection.ts";
import { troubleBlocker } from "../answer/answer-blockers.ts";
import { mentionable, useShowRequest } from "./thread-data.ts";

/** Writes a comment, or asks the requester by one. What is typed is kept in the tab until it is sent. */
export function Composer({
  request,
  requester,
}: {
  request: InputRequestDetail;
  /** Who can be asked; null: nobody. */
  requester: Person | null;
}) {
  const { id } = request;
  const draft = useTabDraft(id);
  const { text, chosen } = draft.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const [isDismissed, setDismissed] = useState(false);
  const listId = useId();
  const show = useShowRequest(id);
  const trouble = troubleBlocker(useTrouble());
  const send = useMutation({
    mutationFn: async (call: "comments" | "ask-requester") => {
      const mentions = mentionsIn(text, chosen).slice(0, MOST_MENTIONS);
      const body = { text, ...(mentions.length > 0 && { mentions }) };
      const reply = await api.post<unknown>(`/api/v1/input-requests/${id}/${call}`, body);
      return call === "ask-requester" ? (reply as InputRequestDetail) : undefined;
    },
    onSuccess: (now) => {
      draft.set({ text: "", chosen: [] });
      show(now);
      if (now?.needsInfo) toast(`${now.needsInfo.of.name} was asked. You can still decide`);
      field.current?.focus();
    },
  });

  const typed = isDismissed ? null : typedMention(text, caret);
  const words = useDeferredValue(typed?.words ?? null);
  const found = useQuery({
    ...mentionable(id, words ?? ""),
    enabled: words !== null,
    placeholderData: (before) => before,
  });
  const people = typed && words !== null ? (found.data?.items ?? []).slice(0, 8) : [];
  const [at, setAt] = useState(0);
  const active = people[Math.min(at, people.length - 1)];

  const write = (value: string, position: number) => {
    draft.set({ text: value, chosen });
    setCaret(position);
    setDismissed(false);
    setAt(0);
  };
  const mention = (person: Person) => {
    if (!typed) return;
    const next = withMention(text, typed, person);
    // The text is written before the caret is set, and both before the next key comes.
    flushSync(() => {
      draft.set({ text: next.text, chosen: [...chosen, person] });
      setCaret(next.caret);
      setDismissed(true);
    });
    field.current?.focus();
    field.current?.setSelectionRange(next.caret, next.caret);
  };
  const empty = text.trim() === "";
  const blocked = empty || send.isPending || trouble !== null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      if (!blocked) send.mutate("comments");
      return;
    }
    if (!active) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((Math.min(at, people.length - 1) + step + people.length) % people.length);
    else if (event.key === "Enter" || event.key === "Tab") mention(active);
    else if (event.key === "Escape") setDismissed(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const mayAsk =
    requester !== null &&
    request.state === "open" &&
    request.task.cancelRequestedAt === null &&
    request.needsInfo === null;

  return (
    <div className="relative flex flex-col gap-2">
      <label htmlFor="comment-text" className="sr-only">
        Add to the discussion
      </label>
      <Textarea
        ref={field}
        id="comment-text"
        rows={2}
        maxLength={COMMENT_CHARACTERS}
        value={text}
        // It is emptied once this is sent.
        readOnly={send.isPending}
        placeholder="Write to your colleagues. Use @ to mention somebody"
        aria-keyshortcuts="M"
        aria-autocomplete="list"
        aria-controls={people.length > 0 ? listId : undefined}
        aria-activedescendant={active ? `${listId}-${active.id}` : undefined}
        onChange={(event) => write(event.target.value, event.target.selectionStart)}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onBlur={() => setDismissed(true)}
        onKeyDown={onKeyDown}
      />
      <p role="status" className="sr-only">
        {people.length > 0 && `${people.length} ${people.length === 1 ? "person" : "people"} to mention`}
      </p>
      {people.length > 0 && (
        <div
          id={listId}
          role="listbox"
          aria-label="People to mention"
          className="absolute right-0 bottom-full left-0 z-20 mb-1 flex flex-col rounded-lg border border-line bg-panel p-1 shadow-pop"
        >
          {people.map((person) => (
            // The keys are the field's, which keeps the focus.
            // biome-ignore lint/a11y/useKeyWithClickEvents: see above
            <div
              key={person.id}
              id={`${listId}-${person.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={person === active}
              className={cn(
                "flex min-h-9 cursor-pointer items-center rounded-md px-2 max-md:min-h-11",
                person === active ? "bg-sunken" : "hover:bg-sunken",
              )}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => mention(person)}
            >
              <PersonInList person={person} />
            </div>
          ))}
        </div>
      )}
      {send.error && (
        <p role="alert" className="text-[13px] text-bad">
          {errorSentence(send.error)} Your text is still here.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={blocked} onClick={() => send.mutate("comments")}>
          Post
        </Button>
        {mayAsk && (
          <Button
            variant="ghost"
            disabled={blocked}
            title={`Shows that the request waits for ${requester.name}, and notifies them`}
            onClick={() => send.mutate("ask-requester")}
          >
            Ask {requester.name}
          </Button>
        )}
        <Kbd className="ml-auto">Ctrl ↵ posts</Kbd>
      </div>
    </div>
  );
}

interface TabDraft {
  text: string;
  /** Whom the text mentions, or did. */
  chosen: Person[];
}

/** What is typed about a request, kept as long as the tab, and until one signs out. */
function useTabDraft(inputRequestId: string) {
  const key = keyOf(inputRequestId);
  const [value, setValue] = useState(() => stored(key));
  const set = (next: TabDraft) => {
    setValue(next);
    try {
      if (next.text === "") sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without storage the text lasts as long as the request is open.
    }
  };
  return { value, set };
}

/** Whether something is typed about a request, and not sent. */
export function hasTabDraft(inputRequestId: string): boolean {
  return stored(keyOf(inputRequestId)).text !== "";
}

const keyOf = (inputRequestId: string) => `intray:comment:${inputRequestId}`;

function stored(key: string): TabDraft {
  const none = { text: "", chosen: [] };
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "null") as TabDraft | null;
    return typeof kept?.text === "string" && Array.isArray(kept.chosen) ? kept : none;
  } catch {
    return none;
  }
}

/** Most characters of a name that are typed before somebody is chosen. */
const LONGEST_TYPED = 40;

/** What is typed of a name after an `@`, up to the caret, and where the `@` stands. Null: no name is being typed. */
export function typedMention(text: string, caret: number): { at: number; words: string } | null {
  const before = text.slice(0, caret);
  const at = before.lastIndexOf("@");
  const words = before.slice(at + 1);
  const beginsWord = at === 0 || /[\s(]/.test(before.charAt(at - 1));
  if (at === -1 || !beginsWord || words.length > LONGEST_TYPED || words.includes("\n") || /^\s/.test(words))
    return null;
  return { at, words };
}

/** The text with the person's name in place of what was typed of it, and where the caret is then. */
export function withMention(
  text: string,
  { at, words }: { at: number; words: string },
  person: Person,
): { text: string; caret: number } {
  const before = `${text.slice(0, at)}@${person.name} `;
  return { text: before + text.slice(at + 1 + words.length).replace(/^ /, ""), caret: before.length };
}

/** Those whose names still stand in the text. Where a name begins with another, as Anna with Ann, it is the longer one. */
export function mentionsIn(text: string, chosen: Person[]): string[] {
  const longestFirst = chosen.toSorted((one, other) => other.name.length - one.name.length);
  const found = new Set<string>();
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const name = longestFirst.find((person) => text.startsWith(person.name, at + 1))?.name;
    // Two people can have the same name.
    for (const person of chosen) if (person.name === name) found.add(person.id);
  }
  return [...found];
}
