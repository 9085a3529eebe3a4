"use client";

import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { Check } from "lucide-react";
import { useDeferredValue, useId, useState } from "react";
import { PersonInList } from "@/components/people/person-in-list.tsx";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { fieldStyle, Textarea } from "@/components/ui/field.tsx";
import { Kbd } from "@/components/ui/kbd.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import type { Answerer } from "@/lib/people/members/member-schema.ts";
import { NOTE_CHARACTERS } from "@/lib/requests/limits.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { requestName } from "@/lib/requests/words/request-labels.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { people } from "@/lib/web/client/organization.ts";
import { assignmentOffer } from "./assignment-offer.ts";
import { useAssign } from "./use-assign.ts";

const NOBODY = "nobody";

/** Finds one person by name or e-mail, with the arrow keys and Enter; then takes a note for them. */
export function AssignDialog({ request, onDismiss }: { request: InputRequestDetail; onDismiss: () => void }) {
  const me = useMe();
  const assign = useAssign(request);
  const [typed, setTyped] = useState("");
  const found = useQuery({
    ...people(useDeferredValue(typed.trim()), request.id),
    placeholderData: (before) => before,
  });
  const offer = assignmentOffer(request, me);
  // Only operators take a request for themselves here; others claim it.
  const items = [...(found.data?.items ?? [])]
    .filter((person) => !isMe(person) || offer.toMe || request.assignedTo?.id === me.user.id)
    .sort((a, b) => Number(isMe(b)) - Number(isMe(a)));
  function isMe(person: Answerer) {
    return person.userId === me.user.id;
  }
  // The results arrive after the typed text: the first one is active until the arrow keys choose another.
  const [chosen, setChosen] = useState("");
  const active = items.some((person) => person.id === chosen) || chosen === NOBODY ? chosen : items[0]?.id;
  const [recipient, setRecipient] = useState<Answerer | null>(null);
  const give = (person: Answerer | null, note?: string) => {
    assign.to(person, note);
    onDismiss();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDismiss()}
      title={`Hand over ${requestName(request)}`}
      description="The request moves to “For you” in their inbox, and they are notified. Others find it under All. People who can’t accept the request are not listed."
    >
      {recipient ? (
        <NoteForm
          recipient={recipient}
          onBack={() => setRecipient(null)}
          onGive={(note) => give(recipient, note)}
        />
      ) : (
        <Command
          shouldFilter={false}
          label="People who can accept it"
          value={active ?? ""}
          onValueChange={setChosen}
          className="flex min-h-0 flex-col gap-2"
        >
          <Command.Input
            autoFocus
            value={typed}
            onValueChange={setTyped}
            placeholder="Name or e-mail"
            className={`${fieldStyle} h-9 max-md:h-11`}
          />
          <Command.List className="scroll-quiet max-h-72">
            {found.isError && <p className="px-2 py-3 text-bad">{errorSentence(found.error)}</p>}
            {found.isSuccess && (
              <Command.Empty className="px-2 py-3 text-muted">
                Nobody who can accept it is called “{typed}”.
              </Command.Empty>
            )}
            {offer.unassign && !typed && (
              <Item value={NOBODY} onSelect={() => give(null)}>
                Unassigned: open to everyone
              </Item>
            )}
            {items.map((person) => (
              <Item key={person.id} value={person.id} onSelect={() => setRecipient(person)}>
                <PersonInList person={person}>
                  {isMe(person) && <span className="text-muted"> · you</span>}
                </PersonInList>
                <span className="ml-auto text-muted text-xs">{person.role}</span>
                {request.assignedTo?.id === person.userId && (
                  <>
                    <Check aria-hidden className="size-4 shrink-0 text-accent" strokeWidth={1.75} />
                    <span className="sr-only">assigned now</span>
                  </>
                )}
              </Item>
            ))}
          </Command.List>
        </Command>
      )}
    </Dialog>
  );
}

/** What the recipient reads with the request. Ctrl or ⌘ with Enter hands it over. */
function NoteForm({
  recipient,
  onBack,
  onGive,
}: {
  recipient: Answerer;
  onBack: () => void;
  onGive: (note: string) => void;
}) {
  const id = useId();
  const [note, setNote] = useState("");
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="flex items-center gap-1.5 text-[13px] text-muted">
          <span>
            <span className="font-medium">Note for {recipient.name}</span> · optional
          </span>
          <Kbd className="ml-auto">Ctrl ↵ hands over</Kbd>
        </label>
        <Textarea
          id={id}
          autoFocus
          rows={3}
          maxLength={NOTE_CHARACTERS}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            onGive(note);
          }}
        />
        <p className="text-muted text-xs">
          Shown with the request and in the notification, also by e-mail. It stays in the history.
        </p>
      </div>
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button variant="primary" onClick={() => onGive(note)}>
          Hand over to {recipient.name}
        </Button>
      </DialogActions>
    </div>
  );
}

function Item({
  value,
  onSelect,
  children,
}: {
  value: string;
  onSelect: () => void;
  children: React.ReactNode;
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2 rounded-md px-2 data-[selected=true]:bg-sunken max-md:min-h-11"
    >
      {children}
    </Command.Item>
  );
}
