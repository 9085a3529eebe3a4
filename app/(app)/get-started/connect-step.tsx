"use client";

import { type SubmitEvent, useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, Textarea } from "@/components/ui/field.tsx";
import { Link } from "@/components/ui/link.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { type Pasted, readPasted } from "@/lib/servers/mcp-servers.ts";
import { FoundServer } from "./found-server.tsx";

type Found = Exclude<Pasted, { problem: string }>;

/** Connects servers from a pasted URL, or from the configuration block of other MCP clients. */
export function ConnectStep({ done }: { done: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState<string>();
  // `at` distinguishes two pastes: replies of the first one's servers do not belong to the second.
  const [found, setFound] = useState<{ at: number; what: Found } | null>(null);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const pasted = readPasted(field.current?.value ?? "");
    setProblem("problem" in pasted ? pasted.problem : undefined);
    if ("problem" in pasted) return field.current?.focus();
    setFound({ at: (found?.at ?? 0) + 1, what: pasted });
    // A block may contain tokens, so the field is emptied. A URL stays, because it may need a correction.
    if (field.current && !isAddress(pasted)) field.current.value = "";
  };
  const startOver = () => {
    setFound(null);
    field.current?.focus();
  };
  if (done && !found)
    return (
      <Button asChild className="self-start">
        <Link href="/servers">See the servers</Link>
      </Button>
    );
  return (
    <>
      <form onSubmit={onSubmit} noValidate className="flex max-w-2xl flex-col gap-3">
        <Field
          id="pasted"
          label="Address or mcpServers JSON"
          description="The address of an MCP server, or the JSON configuration of another MCP client."
          error={problem}
          required
        >
          {(control) => (
            <Textarea
              {...control}
              ref={field}
              rows={3}
              spellCheck={false}
              autoCapitalize="none"
              autoComplete="off"
              placeholder="https://example.com/mcp"
              className="font-mono text-[13px]"
            />
          )}
        </Field>
        <Button type="submit" variant={found ? "outline" : "primary"} className="self-start">
          Continue
        </Button>
      </form>
      {found && <FoundList key={found.at} found={found.what} onStartOver={startOver} />}
    </>
  );
}

/** Whether a URL was pasted, which is connected at once; each entry of a block needs a press. */
const isAddress = (pasted: Found) => !pasted.block;

function FoundList({ found, onStartOver }: { found: Found; onStartOver: () => void }) {
  const { servers, commands, refused } = found;
  return (
    <div className="flex flex-col gap-3">
      {servers.length > 0 && (
        <ul aria-label="Servers found" className="flex flex-col gap-3">
          {servers.map((server) => (
            <li key={server.name ?? server.url}>
              <FoundServer found={server} atOnce={isAddress(found)} onRemoved={onStartOver} />
            </li>
          ))}
        </ul>
      )}
      {commands.length > 0 && (
        <Notice
          title={
            commands.length === 1 ? `${commands[0]} is a command` : `${commands.join(", ")} are commands`
          }
        >
          <p>
            A command runs on Intray’s own machine. Only the person who runs Intray can add commands, in the
            file that <code>INTRAY_SERVERS_FILE</code> names (see docs/operator-servers.md).
          </p>
        </Notice>
      )}
      {refused.map(({ name, why }) => (
        <Notice key={name} tone="wait" title={`${name} cannot be connected from here`}>
          <p>Its entry {why}.</p>
        </Notice>
      ))}
    </div>
  );
}
