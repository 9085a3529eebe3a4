import { ShortcutList, SingleKeysSwitch } from "@/components/shell/keys/shortcut-sheet.tsx";
import { Section } from "../section.tsx";

export const metadata = { title: "Keyboard" };

export default function KeyboardPage() {
  return (
    <>
      <Section title="Single-key shortcuts" description="Only for you, on every device.">
        <SingleKeysSwitch />
      </Section>
      <Section title="Shortcuts" description="Disabled while you type, and while a dialog or a menu is open.">
        <ShortcutList />
      </Section>
    </>
  );
}
