"use client";

import { Check } from "lucide-react";
import { useState } from "react";
import { Badge } from "@/components/ui/badge.tsx";
import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import type { Security } from "@/lib/people/accounts/account-schema.ts";
import { Section } from "../section.tsx";

const TurnOnDialog = lazyComponent(() => import("./turn-on-dialog.tsx").then((file) => file.TurnOnDialog));
const CodeDialog = lazyComponent(() => import("./code-dialog.tsx").then((file) => file.CodeDialog));

const FEW = 3;

/** The authenticator app, whose codes are asked after the password. */
export function SecondFactorSection({
  state: { active, recoveryCodesLeft, recoveryCodesDated },
  password,
  onChanged,
}: {
  state: Security["secondFactor"];
  password: boolean;
  /** Gets what changed, as a sentence. */
  onChanged: (what: string) => void;
}) {
  const [open, setOpen] = useState<"on" | "off" | "codes" | null>(null);
  const close = (isOpen: boolean) => !isOpen && setOpen(null);
  return (
    <Section
      title="Two-step sign-in"
      description="After your password, a code from an authenticator app on your phone. A passkey needs none."
    >
      {active ? (
        <>
          <div className="flex flex-wrap items-center gap-3 text-[13px]">
            <Badge tone="good" icon={Check}>
              On
            </Badge>
            <span className="text-muted">
              {recoveryCodesLeft} {recoveryCodesLeft === 1 ? "recovery code" : "recovery codes"} left
            </span>
          </div>
          {recoveryCodesLeft < FEW && (
            <Notice tone="wait" title="Few recovery codes are left">
              <p>Make new ones, so that you can sign in on the day your phone is lost.</p>
            </Notice>
          )}
          {recoveryCodesDated > 0 && (
            <Notice tone="wait" title="Make new recovery codes">
              <p>Your codes still work, once each. New ones are stored more safely.</p>
            </Notice>
          )}
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setOpen("codes")}>New recovery codes…</Button>
            <Button variant="danger" onClick={() => setOpen("off")}>
              Turn off…
            </Button>
          </div>
        </>
      ) : (
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={() => setOpen("on")}>Turn on…</Button>
        </div>
      )}
      {open === "on" && (
        <TurnOnDialog
          open
          onOpenChange={close}
          password={password}
          onTurnedOn={() => onChanged("Two-step sign-in is on")}
        />
      )}
      {(open === "off" || open === "codes") && (
        <CodeDialog
          open
          onOpenChange={close}
          purpose={open}
          onDone={() => onChanged(open === "off" ? "Two-step sign-in is off" : "You have new recovery codes")}
        />
      )}
    </Section>
  );
}
