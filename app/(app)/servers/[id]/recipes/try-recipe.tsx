"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Facts, JsonTree } from "@/components/facts/facts.tsx";
import { PlainText } from "@/components/text/plain-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Input, Textarea } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { TriedRecipe, TryRecipeInput } from "@/lib/servers/recipes/recipe-schema.ts";
import type { Server } from "@/lib/servers/server-schema.ts";
import { ApiError, errorSentence } from "@/lib/web/client/base/client.ts";
import { tryRecipe } from "@/lib/web/client/servers.ts";
import { NotARecipe, readJson, readRecipe } from "./recipe-text.ts";

/** What the recipe on screen makes of a reply, before it is saved. Nothing is changed on the server. */
export function TryRecipe({ server, text }: { server: Server; text: string }) {
  const [handle, setHandle] = useState("");
  const [reply, setReply] = useState("");
  const attempt = useMutation({
    mutationFn: (on: "handle" | "reply") =>
      tryRecipe(
        server.id,
        readRecipe(text),
        on === "handle" ? { handle: readHandle(handle) } : readReply(reply),
      ),
  });
  return (
    <details className="rounded-lg border border-line px-4 py-3">
      <summary className="w-fit rounded-sm font-medium text-[13px] max-md:-my-3 max-md:py-3">Try it</summary>
      <div className="flex flex-col gap-4 pt-3">
        <Field
          id="try-handle"
          label="On the server"
          description="The handle of an existing process. Intray asks for its status and changes nothing."
        >
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                className="flex-1 font-mono text-[13px]"
                autoComplete="off"
                value={handle}
                onChange={(event) => setHandle(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter") return;
                  // The form around it would save the recipe.
                  event.preventDefault();
                  if (handle.trim() !== "") attempt.mutate("handle");
                }}
              />
              <Button
                disabled={attempt.isPending || handle.trim() === ""}
                onClick={() => attempt.mutate("handle")}
              >
                Ask for its status
              </Button>
            </div>
          )}
        </Field>
        <Field
          id="try-reply"
          label="On a recorded reply"
          description="A reply of the status tool, as JSON: the whole result, or its structured content."
        >
          {(control) => (
            <Textarea
              {...control}
              rows={4}
              className="font-mono text-[13px]"
              spellCheck={false}
              value={reply}
              onChange={(event) => setReply(event.target.value)}
            />
          )}
        </Field>
        <Button
          className="w-fit"
          disabled={attempt.isPending || reply.trim() === ""}
          onClick={() => attempt.mutate("reply")}
        >
          Try the reply
        </Button>
        {attempt.error && <Notice live tone="bad" title={sentenceOf(attempt.error)} />}
        {attempt.data && <Tried tried={attempt.data} />}
      </div>
    </details>
  );
}

function Tried({ tried }: { tried: TriedRecipe }) {
  const { problem, state, known, status, statusMessage, questions, reply } = tried;
  return (
    <div className="flex flex-col gap-3">
      {problem ? (
        <Notice live tone="bad" title={problem}>
          <p>This reply matches no state. Intray would keep asking for the status.</p>
        </Notice>
      ) : (
        <Notice live tone={known ? "neutral" : "wait"} title={`${STATUS[status!]}, in the state “${state}”`}>
          {statusMessage && <PlainText text={statusMessage} />}
        </Notice>
      )}
      {questions.map(({ message, details, choices }) => (
        <div key={message} className="flex flex-col gap-2.5 rounded-lg border border-line px-4 py-3">
          <p className="font-medium">
            <PlainText text={message} />
          </p>
          {details && <Facts values={details} message={message} />}
          <ul aria-label="Choices" className="flex flex-col gap-1 text-[13px]">
            {choices.map(({ label, call }) => (
              <li key={label}>
                {label}:{" "}
                <code className="break-all">
                  {call.tool} {call.problem ?? JSON.stringify(call.arguments)}
                </code>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {reply && (
        <details>
          <summary className="w-fit rounded-sm text-[13px] text-muted max-md:-my-3 max-md:py-3">
            The reply
          </summary>
          <div className="pt-2">
            <JsonTree value={reply} open={3} />
          </div>
        </details>
      )}
    </div>
  );
}

const STATUS: Record<NonNullable<TriedRecipe["status"]>, string> = {
  working: "Working",
  input_required: "Waits for a person",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** A text, unless it is JSON. */
function readHandle(text: string): NonNullable<TryRecipeInput["handle"]> {
  try {
    return (JSON.parse(text) as NonNullable<TryRecipeInput["handle"]> | null) ?? text;
  } catch {
    return text.trim();
  }
}

/** Of what was pasted, the result of `tools/call`, also where it is only the structured content. */
function readReply(text: string): { reply: Record<string, unknown> } {
  const value = readJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new NotARecipe(["The reply has to be an object"]);
  const given = value as Record<string, unknown>;
  const isWhole = "content" in given || "structuredContent" in given;
  return { reply: isWhole ? given : { content: [], structuredContent: given } };
}

function sentenceOf(error: Error): string {
  if (error instanceof NotARecipe) return error.message;
  const [first] = error instanceof ApiError ? error.errors : [];
  return first ? `${first.field.replace(/^recipe\./, "")}: ${first.message}` : errorSentence(error);
}
