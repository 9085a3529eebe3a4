"use client";

import { Check, Circle, LoaderCircle, X } from "lucide-react";
import { Clock, TimeUntil } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { cn } from "@/components/ui/cn.ts";
import { Kbd } from "@/components/ui/kbd.tsx";
import { hasVanished, needsNoSending } from "@/lib/format/requests/delivery.ts";
import type { InputRequestDetail } from "@/lib/input-requests/schema.ts";
import { useUndo } from "../answer/use-undo.ts";

type Progress = "done" | "now" | "later" | "failed";

/** Recorded → Sending → Accepted by server → Task moved on, each with its time. Nothing is ticked before it is so. */
export function DeliverySteps({ request }: { request: InputRequestDetail }) {
  const undo = useUndo();
  const { answer, delivery } = request;
  if (!answer || !delivery) return null;
  const failed = delivery.state === "failed" || request.state === "undeliverable";
  const reached = delivery.confirmedAt ? 4 : delivery.acceptedAt ? 3 : delivery.sentAt ? 2 : 1;
  const progress = (step: number): Progress => {
    // The task moved on, and the reply to the attempt never came.
    if (step === 3 && delivery.confirmedAt && !delivery.acceptedAt) return "later";
    if (step <= reached && !(step === 2 && !delivery.acceptedAt && !delivery.confirmedAt)) return "done";
    if (failed) return step === (delivery.acceptedAt ? 4 : 2) ? "failed" : "later";
    return step === (delivery.acceptedAt ? 4 : 2) ? "now" : "later";
  };
  const held = delivery.state === "held";
  if (needsNoSending(delivery))
    return (
      <ol aria-label="Delivery" aria-live="polite" className="flex flex-col gap-2">
        <Step progress="done" name="Recorded" at={answer.at} />
        <Step progress="done" name="Carried out, nothing had to be sent" at={delivery.confirmedAt} />
      </ol>
    );
  return (
    <ol aria-label="Delivery" aria-live="polite" className="flex flex-col gap-2">
      <Step progress="done" name="Recorded" at={answer.at} />
      <Step
        progress={progress(2)}
        name={sendingWord(delivery, progress(2))}
        at={delivery.sentAt ?? delivery.waitingSince}
      >
        {held && (
          <span className="flex items-center gap-2">
            <span className="text-muted">
              in <TimeUntil at={delivery.deliverAfter} over="a moment" />
            </span>
            <Button size="sm" onClick={() => void undo(request.id)}>
              Undo <Kbd>Z</Kbd>
            </Button>
          </span>
        )}
      </Step>
      <Step
        progress={progress(3)}
        name={delivery.confirmedAt && !delivery.acceptedAt ? "Server’s reply lost" : "Accepted by server"}
        at={delivery.acceptedAt}
      />
      <Step
        progress={progress(4)}
        name={delivery.confirmedAt && hasVanished(request.task.state) ? "Task ended" : "Task moved on"}
        at={delivery.confirmedAt}
      />
    </ol>
  );
}

function sendingWord(
  { attempts, inDoubt, waitingSince }: NonNullable<InputRequestDetail["delivery"]>,
  progress: Progress,
): string {
  if (progress === "done") return "Sent";
  if (progress === "failed") {
    if (inDoubt) return "Sent, and no reply came";
    return attempts === 0 ? "Not sent" : "Sending failed";
  }
  if (waitingSince && progress === "now") return "Waiting for the server to ask again";
  return attempts > 1 ? `Sending, attempt ${attempts}` : "Sending";
}

const SAID = { done: ", done", now: ", under way", later: "", failed: ", failed" };
const ICONS = { done: Check, now: LoaderCircle, later: Circle, failed: X };

function Step({
  progress,
  name,
  at,
  children,
}: {
  progress: Progress;
  name: string;
  at: string | null;
  children?: React.ReactNode;
}) {
  const Icon = ICONS[progress];
  return (
    <li className={cn("flex min-h-6 items-center gap-2.5", progress === "later" && "text-muted")}>
      <Icon
        aria-hidden
        strokeWidth={2}
        className={cn(
          "size-4 shrink-0",
          progress === "done" && "text-accent",
          progress === "now" && "animate-[turn_1.6s_linear_infinite] text-muted",
          progress === "later" && "text-edge",
          progress === "failed" && "text-bad",
        )}
      />
      <span>
        {name}
        <span className="sr-only">{SAID[progress]}</span>
      </span>
      {children}
      {at && <Clock at={at} className="ml-auto shrink-0 text-muted text-xs" />}
    </li>
  );
}
