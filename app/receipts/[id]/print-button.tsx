"use client";

import { Printer } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";

export function PrintButton() {
  return (
    <Button onClick={() => window.print()}>
      <Printer aria-hidden strokeWidth={1.75} />
      Print or save as PDF
    </Button>
  );
}
