"use client";

import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { Check } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { fieldStyle } from "@/components/ui/input.tsx";
import { Dialog } from "@/components/ui/overlay/dialog.tsx";
import { people } from "@/lib/api-client/answers.ts";
import { errorSentence } from "@/lib/api-client/base/client.ts";
import { requestName } from "@/lib/format/requests/requests.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import type { Answerer } from "@/lib/members/schema.ts";
import { useAssign } from "./use-assign.ts";

const NOBODY = "nobody";

/** Finds one person by name or e-mail, with the arrow keys and Enter. */
export function AssignDialog({ request, onDismiss }: { request: InputRequestDetail; onDismiss: () => void }) {
  const me = useMe();
  const assign = useAssign(request);
  const [typed, setTyped] = useState("");
  const found = useQuery({
    ...people(useDeferredValue(typed.trim())),
    placeholderData: (before) => before,
  });
  const items = [...(found.data?.items ?? [])].sort((a, b) => Number(isMe(b)) - Number(isMe(a)));
  function isMe(person: Answerer) {
    return person.userId === me.user.id;
  }
  // The results arrive after the typed text: the first one is active until the arrow keys choose another.
  const [chosen, setChosen] = useState("");
  const active = items.some((person) => person.id === chosen) || chosen === NOBODY ? chosen : items[0]?.id;
  const choose = (person: Answerer | null) => {
    assign.to(person);
    onDismiss();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onDismiss()}
      title={`Assign ${requestName(request)}`}
      description="It stands under Mine in their inbox. Others may still answer it."
    >
      <Command
        shouldFilter={false}
        label="People who may answer"
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
              Nobody who may answer is called “{typed}”.
            </Command.Empty>
          )}
          {request.assignedTo && !typed && (
            <Item value={NOBODY} onSelect={() => choose(null)}>
              Nobody: open to everyone
            </Item>
          )}
          {items.map((person) => (
            <Item key={person.id} value={person.id} onSelect={() => choose(person)}>
              <span className="min-w-0 truncate">
                {person.name}
                {isMe(person) && <span className="text-muted"> · you</span>}
              </span>
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
    </Dialog>
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
