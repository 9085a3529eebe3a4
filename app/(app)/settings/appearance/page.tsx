import { Section } from "../section.tsx";
import { DatesAndNumbers } from "./dates-and-numbers.tsx";
import { ThemeChoice } from "./theme-choice.tsx";

export const metadata = { title: "Appearance" };

export default function AppearancePage() {
  return (
    <>
      <Section title="Theme" description="Kept in this browser; nobody else sees it.">
        <ThemeChoice />
      </Section>
      <Section
        title="Motion"
        description="Intray’s animations are small and short. If your system asks for reduced motion, nothing moves."
      >
        <p className="text-[13px] text-muted">
          Change it in your system’s accessibility settings. Intray follows at once.
        </p>
      </Section>
      <Section
        title="Dates and numbers"
        description="For you, on every screen. Words stay English; mails and exports do not change."
      >
        <DatesAndNumbers />
      </Section>
    </>
  );
}
